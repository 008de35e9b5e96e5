"""Files of machines and of choices that are not as they were written."""

from mutations import check_reader
from test_remember import CHOICE
from toy import toy

from halocline.tune.machine_file import load_machine, save_machine
from halocline.tune.remember import recall, remember


def test_a_changed_machine_file_is_a_machine_or_refused(tmp_path):
    path = tmp_path / "machine.json"
    save_machine(toy(), path)
    check_reader([path], lambda: load_machine(path))


def test_a_changed_file_of_choices_is_a_choice_or_forgotten(tmp_path):
    path = tmp_path / "choices.json"
    remember(path, "here", "case", CHOICE)
    check_reader([path], lambda: (recall(path, "here", "case"), str(recall(path, "here", "case"))))
    check_reader([path], lambda: remember(path, "here", "other", CHOICE))
