#pragma once

#include <cstddef>
#include <functional>

#include "pgas/section.hpp"
#include "pgas/team.hpp"

namespace halocline::pgas {

/// Combines `count` elements with as many others: into[i] = into[i] op from[i].
using Combine = std::function<void(std::byte* into, const std::byte* from, std::size_t count)>;

/// Combinations of numbers, and the smaller or greater of numbers or strings; empty where the
/// type has none.
[[nodiscard]] Combine sum_of(const Element& element);
[[nodiscard]] Combine smaller_of(const Element& element);
[[nodiscard]] Combine greater_of(const Element& element);

/// Which members get a result: one, or all.
inline constexpr int all_members = -1;

/// Gives the elements of one member's array to all. Collective over the team.
Outcome broadcast(Team& team, const Section& array, int source);

/// Gives `count` bytes of each member to all, in the order of their indices; at most a piece.
/// Collective over the team. Where a member is missing, nothing is written.
Outcome gather(Team& team, const std::byte* mine, std::size_t count, std::byte* all);

/// Combines the arrays of all members in the order of their indices, so that all have the same
/// bits. Collective over the team.
Outcome reduce(Team& team, const Section& array, const Combine& combine, int result);

}  // namespace halocline::pgas
