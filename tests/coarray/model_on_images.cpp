// What the C++ interface has beside what the example shows.

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "pgas/coarray.hpp"

using namespace halocline::pgas;

namespace {

void require(bool is_so, const char* what) {
    if (is_so) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

template <class Action>
std::string message_of(const Action& action) {
    try {
        action();
    } catch (const JobError& error) {
        return error.what();
    }
    return {};
}

void sections(int next) {
    const coarray<float> a({4, 6});
    const std::vector<float> values{1, 2, 3, 4};
    a.put(next, {{3, 2, -2}, {1, 2, 3}}, values);
    sync_all();
    require(a.here()(3, 1) == 1 && a.here()(3, 4) == 2 && a.here()(1, 4) == 4, "put");
    std::vector<float> got(3);
    a.get(next, {{1, 3}, {4, 1}}, got);
    require(got == std::vector<float>{4, 0, 2}, "get");
    const View<float> here = a[this_image()];
    require(here.rank() == 2 && here.extent(1) == 6 && here.all().size() == 24, "extents");
    require(message_of([&] {
                a.put(next, {{0, 5}, {0, 1}}, values);
            }) == "A section has indices 0 to 4 of an axis of 4.",
            "section outside");
    require(message_of([&] {
                a.put(next, {{0, 2}}, values);
            }).find("1 ranges") != std::string::npos,
            "axes");
    require(message_of([&] {
                a.get(next, {{0, 1}, {0, 1}}, got);
            }).find("3 values") != std::string::npos,
            "values");
    require(message_of([&] { static_cast<void>(a[9]); }).starts_with("There is no image 9"),
            "image");
}

void events_locks_atomics(int next, int images) {
    const coarray<EventVariable> event({2});
    event.object(next, 1).post();
    event.here()(1).wait();
    require(event.here()(1).query() == 0, "event");
    const coarray<LockVariable> lock({});
    const coarray<int> count({2});
    for (int i = 0; i < 50; ++i) {
        const std::scoped_lock guard(lock.object(1));
        int counted = 0;
        count.get(1, {{0, 1}}, std::span(&counted, 1));
        ++counted;
        count.put(1, {{0, 1}}, std::span(&counted, 1));
        count.atomic(1, 1).fetch_add(2);
    }
    sync_all();
    const auto last = count.atomic(1, 1);
    require(last.load() == last.compare_and_swap(-1, 0), "compare and swap");
    std::vector<int> counted(2);
    count.get(1, {{0, 2}}, counted);
    require(counted == std::vector<int>{50 * images, 100 * images}, "locks and atomics");
}

/// Memory of images on this node is read and written in place.
void parts(int next) {
    const coarray<int> a({2});
    const std::string message = message_of([&] { a[next](1) = next; });
    sync_all();
    if (message.empty())
        require(a[next](1) == next, "in place");
    else
        require(message == "Image " + std::to_string(next) +
                               " is on another node: 'put', 'get' and 'atomic' reach it.",
                "another node");
}

void collectives(int me, int images) {
    require(co_sum(me) == images * (images + 1) / 2, "co_sum");
    require(co_min(static_cast<unsigned>(me)) == 1U && co_max(1.5 * me) == 1.5 * images, "co_max");
    std::vector<std::complex<double>> z(3, {1.0 * me, 1.0});
    co_sum(std::span(z));
    require(z[2].imag() == images, "co_sum of complex numbers");
    std::vector<std::int64_t> product(2, me);
    co_reduce(
        std::span(product), [](std::int64_t x, std::int64_t y) { return x * y; }, images);
    co_broadcast(std::span(product), images);
    std::int64_t factorial = 1;
    for (int i = 1; i <= images; ++i) factorial *= i;
    require(product[1] == factorial, "co_reduce");
}

void teams(int me, int images) {
    Team& team = form_team(1 + me % 2);
    {
        const ChangeTeam inside(team);
        require(num_images() == (images + me % 2) / 2, "team");
        const coarray<int> a({1});
        a[this_image()](0) = me;
        require(co_sum(1) == num_images(), "co_sum of a team");
    }
    require(this_image() == me && num_images() == images, "end of team");
}

}  // namespace

int main() {
    const int me = this_image();
    const int images = num_images();
    const int next = me % images + 1;
    sections(next);
    parts(next);
    events_locks_atomics(next, images);
    collectives(me, images);
    teams(me, images);
    if (images > 1) sync_images(me % 2 == 1 ? me + 1 : me - 1);
    std::printf("image %d has done all\n", me);
}
