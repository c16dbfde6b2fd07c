"""P03, a technical writer: an installation guide, then the notes of a release.

Holds: a custom segment, a response that overlaps the AI's action, a missing collaboration rating,
three steps (session 1); an untimed turn, a third AI brand, an empty source, a visit out of the
plan's order, a last step with three labels (session 2).
"""

from __future__ import annotations

from scripts.synthesis.story import (
    Beat,
    Participant,
    Plan,
    RecordingSpec,
    Response,
    Story,
    Tool,
    Visit,
)
from scripts.synthesis.surveys import survey_answers

__all__ = ["PARTICIPANT", "SESSIONS"]

PARTICIPANT = Participant(
    participant_id="P03",
    occupation="Technical writer",
    sector="Arts, Design, Entertainment, Sports & Media",
    years_experience=6,
    answers=survey_answers(
        occupation="Technical writer",
        seed=303,
        texts={
            "Q2": "Guides and release notes for pump controllers.",
            "Q7": None,
            "Q11": "Yes, for structure and for finding what is missing.",
            "Q12": "The second agent kept our terms better.",
        },
        agents=("Claude", "Gemini", "ChatGPT"),
    ),
)

_OLD_GUIDE = """Installing the controller

The controller should be put on the wall by a person who is qualified. Before doing that the power
has to be off. The cables are connected to the terminals (see the picture). After that it can be
turned on again, but please check the fuse first.
"""

_NEW_GUIDE = """# Install the controller

> **Danger.** Turn the power off first and lock the switch.

1. Fix the bracket with four screws, 1.4 m above the floor.
2. Hang the controller on the bracket.
3. Connect L, N and PE to the terminals 1, 2 and 3.
4. Check the fuse (6.3 A).
5. Turn the power on. The green lamp lights within 5 s.
"""

_SESSION_1 = Story(
    session_id="P03_S1",
    participant_id="P03",
    session=1,
    title="Installation guide of a pump controller",
    goal="Rewrite the installation page of a pump controller as numbered steps that an electrician "
    "can follow without the picture.",
    context="The old page is one paragraph. Field service reports that the fuse is forgotten.",
    achieved=("yes", "Five steps, the fuse is one of them."),
    theme=2,
    app="editor",
    document="install.md",
    canvas=(
        "# Install the controller",
        "",
        "> **Danger.** Turn the power off first and lock the switch.",
        "",
        "1. Fix the bracket with four screws, 1.4 m above the floor.",
        "2. Hang the controller on the bracket.",
        "3. Connect L, N and PE to the terminals 1, 2 and 3.",
        "4. Check the fuse (6.3 A).",
        "5. Turn the power on. The green lamp lights within 5 s.",
        "",
        "## If the lamp stays dark",
        "",
        "- Turn the power off and wait for 10 s.",
        "- Check the order of the terminals.",
        "- Replace the fuse by one of the same rating.",
    ),
    files={
        "files/input/install_old.txt": _OLD_GUIDE,
        "files/output/install.md": _NEW_GUIDE,
    },
    recording=RecordingSpec(
        suffix=".mov",
        codec="libx264",
        width=1152,
        height=720,
        rate_hz=10.0,
        is_variable=True,
        num_bframes=2,
        keyframe_every=150,
    ),
    plan=(
        Plan(
            name="Find the tasks in the old text",
            action="Split the paragraph into single actions and warnings.",
            input="The old page (text).",
            output="A list of actions and warnings.",
            softwares=("VS Code", "Claude"),
            rubric=("Every action of the old page is found.", "Warnings are kept apart."),
            quality=5,
            quality_reason="It found the fuse at the end of a clause.",
            satisfied=(1, 2),
            collaboration=None,
            completed=None,
            completed_reason="",
            statements=(None, None, None, None, None, None, None),
        ),
        Plan(
            name="Write the steps",
            action="Write numbered steps in our style.",
            input="The list of actions.",
            output="The page (Markdown).",
            softwares=("VS Code", "Vale", "Claude"),
            rubric=("One action a step.", "The danger comes first.", "Result of the last step."),
            quality=4,
            quality_reason="One step held two actions.",
            satisfied=(2, 3),
            collaboration=5,
            completed="yes",
            completed_reason="I split one step and changed two words.",
            statements=(5, 4, 5, 4, 5, 5, 5),
        ),
        Plan(
            name="Add what to do if it fails",
            action="Write a short list for the case that the lamp stays dark.",
            input="Notes of the field service.",
            output="A section of three lines.",
            softwares=("VS Code", "Claude"),
            rubric=("Three causes at most.", "Power off comes first."),
            quality=2,
            quality_reason="It made up a reset button that the controller does not have.",
            satisfied=(1,),
            collaboration=2,
            completed="no",
            completed_reason="I had to check each line with the drawing.",
            statements=(2, 3, 2, 4, 1, 3, 3),
        ),
    ),
    visits=(
        Visit(
            key="seg0a",
            step=1,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.3,
                    label="Reads the old page",
                    detail="Marks the verbs.",
                    softwares="VS Code",
                ),
                Beat(
                    node="n2",
                    seconds=4.7,
                    label="Asks for actions and warnings",
                    detail="Attaches the page.",
                    softwares="Claude",
                    says="Split this page into single actions and warnings. Leave nothing out.",
                    attachments=("files/input/install_old.txt",),
                ),
                Beat(
                    node="n3",
                    seconds=6.6,
                    actor="claude",
                    label="Lists five actions and one warning",
                    detail="Reads the file first.",
                    softwares="Claude",
                    says="Warning: power off. Actions: mount, hang, connect, check the fuse, turn "
                    "on. The fuse stands at the very end, after turning on; it should be before.",
                    tools=(
                        Tool("open", "files/input/install_old.txt", _OLD_GUIDE),
                        Tool("count", {"unit": "verbs", "lang": "en"}, {"verbs": 5}),
                    ),
                ),
                Beat(
                    node="n4",
                    seconds=5.9,
                    label="Types the list while it is being written",
                    detail="Starts at the third line of the answer.",
                    softwares="VS Code",
                    gap=-2.6,
                    responses=(Response(label="adopt", output="seg0a/n3", source="seg0a/n2"),),
                ),
            ),
        ),
        Visit(
            key="seg1a",
            step=2,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.5,
                    label="Asks for numbered steps",
                    detail="One action a step, imperative, danger first.",
                    softwares="Claude",
                    says="Write numbered steps: one action each, imperative, the danger first, and "
                    "say what one sees at the end.",
                ),
                Beat(
                    node="n2",
                    seconds=7.7,
                    actor="claude",
                    label="Writes four steps",
                    detail="The first one fixes the bracket and hangs the controller.",
                    softwares="Claude",
                    says="Danger: turn the power off first. 1 Fix the bracket and hang the "
                    "controller on it. 2 Connect L, N and PE. 3 Check the fuse (6.3 A). 4 Turn the "
                    "power on; the green lamp lights within 5 s.",
                ),
                Beat(
                    node="n3",
                    seconds=7.2,
                    label="Splits the first step",
                    detail="Five steps; adds the height and the lock of the switch.",
                    softwares="VS Code",
                    responses=(Response(label="modify", output="seg1a/n2", source="seg1a/n1"),),
                ),
            ),
        ),
        Visit(
            key="segx",
            step=None,
            name="Make the preview work again",
            action="The preview pane shows an old page; its cache is cleared.",
            beats=(
                Beat(
                    node="n1",
                    seconds=3.2,
                    label="Asks why the preview is stale",
                    detail="Pastes the version of the extension.",
                    softwares="ChatGPT",
                    says="My Markdown preview shows an old page. Where is its cache?",
                ),
                Beat(
                    node="n2",
                    seconds=3.9,
                    actor="chatgpt",
                    label="Names a command",
                    detail="Reload the window.",
                    softwares="ChatGPT",
                    says="It has no cache on disk; reload the window from the command palette.",
                ),
                Beat(
                    node="n3",
                    seconds=2.8,
                    label="Reloads the window",
                    detail="The preview is right again.",
                    softwares="VS Code",
                    responses=(Response(label="adopt", output="segx/n2", source="segx/n1"),),
                ),
            ),
        ),
        Visit(
            key="seg2a",
            step=3,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.1,
                    label="Asks for causes of a dark lamp",
                    detail="Three lines, the safe one first.",
                    softwares="Claude",
                    says="The lamp stays dark. Three lines on what to do, power off first.",
                ),
                Beat(
                    node="n2",
                    seconds=5.8,
                    actor="claude",
                    label="Suggests a reset",
                    detail="Mentions a reset button that is not there.",
                    softwares="Claude",
                    says="1 Turn the power off. 2 Press the reset button for 5 s. 3 Call service.",
                ),
                Beat(
                    node="n3",
                    seconds=3.9,
                    label="Says that there is no button",
                    detail="Rejects the list and asks again.",
                    softwares="Claude",
                    says="There is no reset button. Use only terminals and fuse.",
                    responses=(Response(label="reject", output="seg2a/n2", source="seg2a/n1"),),
                ),
                Beat(
                    node="n4",
                    seconds=5.1,
                    actor="claude",
                    label="Rewrites the list",
                    detail="Terminals and fuse.",
                    softwares="Claude",
                    says="1 Turn the power off and wait for 10 s. 2 Check the order of the "
                    "terminals. 3 Replace the fuse by one of the same rating.",
                ),
                Beat(
                    node="n5",
                    seconds=5.2,
                    label="Puts the list on the page",
                    detail="As it stands.",
                    softwares="VS Code",
                    responses=(Response(label="adopt", output="seg2a/n4", source="seg2a/n3"),),
                ),
            ),
        ),
    ),
)

_SESSION_2 = Story(
    session_id="P03_S2",
    participant_id="P03",
    session=2,
    title="Notes of release 4",
    goal="Write the notes of release 4: what is new, what breaks, and how to move from release 3.",
    context="The developers' list has eleven entries, most of them unreadable to customers.",
    achieved=("partly", "The notes are done; one entry waits for the developers."),
    theme=2,
    app="editor",
    document="release_4.md",
    canvas=(
        "# Release 4",
        "",
        "## New",
        "- The pump can be stopped from the list.",
        "- Alarms carry the time of the controller.",
        "",
        "## Changed: please read",
        "- `interval` is in seconds, no longer in minutes.",
        "- The export needs a folder name.",
        "",
        "## Moving from release 3",
        "1. Multiply every `interval` by 60.",
        "2. Set `export.folder`.",
        "3. Restart the service.",
    ),
    recording=RecordingSpec(
        suffix=".webm",
        codec="libvpx",
        width=960,
        height=600,
        rate_hz=8.0,
        is_variable=True,
        keyframe_every=300,
    ),
    plan=(
        Plan(
            name="Sort the entries",
            action="Sort the developers' list into new, changed and internal.",
            input="Eleven entries.",
            output="Three lists.",
            softwares=("VS Code", "Gemini"),
            rubric=("Every entry is in one list.", "Breaking entries are found."),
            quality=4,
            quality_reason="One breaking entry was called internal.",
            satisfied=(1,),
            collaboration=4,
            completed="yes",
            completed_reason="Quick, with one miss.",
            statements=(4, 4, 5, 3, 4, 5, 4),
        ),
        Plan(
            name="Word the entries",
            action="Write each entry from the customer's view.",
            input="Two lists.",
            output="Five lines.",
            softwares=("VS Code", "Gemini", "Claude"),
            rubric=("No internal names.", "Each line says what one can do now."),
            quality=3,
            quality_reason="Correct, but too proud of itself.",
            satisfied=(1,),
            collaboration=5,
            completed="yes",
            completed_reason="The terms were ours at once.",
            statements=(5, 5, 4, 4, 4, 5, 5),
        ),
        Plan(
            name="Check the example",
            action="Run the example of the export.",
            input="Release 4 in a test system.",
            output="Output of the example.",
            softwares=("Terminal",),
            rubric=("It runs.",),
            quality=5,
            quality_reason="It ran at once.",
            satisfied=(1,),
            collaboration=3,
            completed="yes",
            completed_reason="Hardly any collaboration here.",
            statements=(3, 3, 3, 1, 4, 4, 5),
        ),
        Plan(
            name="Write the way from release 3",
            action="Write the migration as numbered steps.",
            input="The changed entries.",
            output="Three steps.",
            softwares=("VS Code", "Gemini", "Claude"),
            rubric=("Every breaking change has a step.", "The order is safe."),
            quality=5,
            quality_reason="Complete after one round.",
            satisfied=(1, 2),
            collaboration=5,
            completed="yes",
            completed_reason="It asked about the order, rightly.",
            statements=(5, 5, 5, 5, 5, 5, 4),
        ),
    ),
    visits=(
        Visit(
            key="k1",
            step=1,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.4,
                    label="Pastes the list",
                    detail="Eleven entries, asks for three groups.",
                    softwares="Gemini",
                    says="Sort these eleven entries into new, changed and internal.",
                ),
                Beat(
                    node="n2",
                    seconds=6.2,
                    actor="gemini",
                    label="Sorts the entries",
                    detail="Two new, one changed, eight internal.",
                    softwares="Gemini",
                    says="New: 2, 7. Changed: 4. Internal: all others. Entry 9 names the export "
                    "folder; I took it for internal.",
                ),
                Beat(
                    node="n3",
                    seconds=4.6,
                    label="Moves entry 9 to changed",
                    detail="The export breaks without a folder.",
                    softwares="VS Code",
                    responses=(Response(label="modify", output="k1/n2", source="k1/n1"),),
                ),
            ),
        ),
        Visit(
            key="k2",
            step=2,
            beats=(
                Beat(
                    node="n1",
                    seconds=3.7,
                    label="Asks for five lines",
                    detail="From the customer's view.",
                    softwares="Gemini",
                    says="Word entries 2, 7, 4 and 9 for customers. One line each.",
                ),
                Beat(
                    node="n2",
                    seconds=6.0,
                    actor="gemini",
                    label="Writes the lines",
                    detail="With exclamation marks.",
                    softwares="Gemini",
                    says="You can now stop the pump right from the list! Alarms now carry the time "
                    "of the controller! Intervals are in seconds. The export asks for a folder.",
                ),
                Beat(
                    node="n3",
                    seconds=4.4,
                    label="Takes the lines without the marks",
                    detail="Keeps the wording.",
                    softwares="VS Code",
                    says="(dictated afterwards) Keep the tone plain from here on.",
                    is_turn_timed=False,
                    responses=(Response(label="adopt", output="k2/n2", source="k2/n1"),),
                ),
            ),
        ),
        Visit(
            key="k4",
            step=4,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.1,
                    label="Asks for the migration",
                    detail="Three steps in a safe order.",
                    softwares="Claude",
                    says="Write the way from release 3 as numbered steps. Which order is safe?",
                ),
                Beat(
                    node="n2",
                    seconds=5.7,
                    actor="claude",
                    label="Writes three steps",
                    detail="Intervals, folder, restart.",
                    softwares="Claude",
                    says="1 Multiply every interval by 60. 2 Set export.folder. 3 Restart. The "
                    "restart has to be last, or the old intervals run for a day.",
                ),
                Beat(
                    node="n3",
                    seconds=4.3,
                    label="Takes the steps",
                    detail="Adds the names of the settings.",
                    softwares="VS Code",
                    responses=(Response(label="adopt", output="k4/n2", source="k4/n1"),),
                ),
            ),
        ),
        Visit(
            key="k3",
            step=3,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.8,
                    label="Runs the example",
                    detail="The export writes into the folder.",
                    softwares="Terminal",
                ),
                Beat(
                    node="n2",
                    seconds=3.2,
                    label="Notes the output",
                    detail="Copies one line.",
                    softwares="VS Code",
                ),
            ),
        ),
        Visit(
            key="k4b",
            step=4,
            name="Finish the migration",
            action="Add a warning and a check.",
            beats=(
                Beat(
                    node="n1",
                    seconds=3.8,
                    label="Asks for a warning",
                    detail="About the restart.",
                    softwares="Gemini",
                    says="One warning line about the restart, please.",
                ),
                Beat(
                    node="n2",
                    seconds=4.6,
                    actor="gemini",
                    label="Writes a warning",
                    detail="Two sentences, one too many.",
                    softwares="Gemini",
                    says="Restart last. If you restart first, the pump follows the old intervals "
                    "until midnight, which may overheat it.",
                ),
                Beat(
                    node="n3",
                    seconds=3.9,
                    label="Deletes the warning",
                    detail="Nothing overheats; the numbered order is enough.",
                    softwares="VS Code",
                    responses=(Response(label="reject", output="k4b/n2", source="k4b/n1"),),
                ),
                Beat(
                    node="n4",
                    seconds=3.6,
                    label="Uses the first steps once more",
                    detail="Copies them into the mail to customers and shortens them.",
                    softwares="VS Code",
                    responses=(Response(label="modify", output="k4/n2"),),
                ),
                Beat(
                    node="n5",
                    seconds=2.4,
                    label="Checks the page a last time",
                    detail="Scrolls from top to bottom.",
                    softwares="VS Code",
                    loops_to="n3",
                ),
            ),
        ),
    ),
)

SESSIONS = (_SESSION_1, _SESSION_2)
