"""P01, an architect: the floor of a library branch, then its south facade.

Holds: a revisited step, a custom segment, a loop with a node of several occurrences, two labels on
one node, ids used again in other segments, tool calls with text and with JSON, attachments, input
and output files (session 1); a second AI brand, a source in an earlier step, a response that
overlaps the AI's action, an edge into another segment, a node without time (session 2).
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
    participant_id="P01",
    occupation="Architect",
    sector="Architecture & Engineering",
    years_experience=9,
    answers=survey_answers(
        occupation="Architect",
        seed=101,
        texts={
            "Q2": "Public buildings, mostly libraries and schools; I draw up to the tender.",
            "Q7": "It counts areas faster than I can, but it cannot see that a door hits a shelf.",
            "Q11": "I would hand over the area checks, never the layout itself.",
            "Q12": None,
        },
        agents=("Claude", "Gemini"),
    ),
)

_BRIEF_CSV = """room,required_m2,must_be_near
Entrance and lending desk,90,street
Open shelves,420,lending desk
Children's corner,140,entrance
Reading room,210,quiet side
Group rooms (3),75,reading room
Staff and store,110,yard
Toilets,45,core
"""

_AREAS_CSV = """room,required_m2,drawn_m2,difference_m2
Entrance and lending desk,90,92,2
Open shelves,420,412,-8
Children's corner,140,143,3
Reading room,210,204,-6
Group rooms (3),75,75,0
Staff and store,110,112,2
Toilets,45,46,1
"""

_NOTE_MD = """# Design note, ground floor

The plan keeps every room of the brief within 4 % of its area. The reading room lies on the quiet
side; the children's corner moved next to the entrance, as asked. Both exits are 1.20 m wide and the
longest way to one of them is 31 m, so the allowed 35 m is kept – with 4 m to spare.
"""

_SESSION_1 = Story(
    session_id="P01_S1",
    participant_id="P01",
    session=1,
    title="Ground floor of a library branch",
    goal="Lay out the 1,090 m² ground floor of a library branch so that it meets the brief's "
    "areas and the rules for escape routes.",
    context="Early design stage. The client's brief is a table of rooms; the shell of the "
    "building is fixed, the rooms inside are not. The note goes to the client tonight.",
    achieved=("yes", "All rooms fit and the escape routes hold; the note is ready to be sent."),
    theme=0,
    app="plan",
    document="library_ground_floor.rvt",
    canvas=(
        "Entrance|0|62|30|38|90",
        "Open shelves|30|38|44|62|420",
        "Children|0|34|30|28|140",
        "Reading room|0|0|42|34|210",
        "Group 1|42|0|12|19|25",
        "Group 2|42|19|12|19|25",
        "Group 3|54|0|20|19|25",
        "Staff, store|74|46|26|54|110",
        "Toilets|74|20|26|26|45",
    ),
    files={
        "files/input/brief_areas.csv": _BRIEF_CSV,
        "files/output/areas_checked.csv": _AREAS_CSV,
        "files/output/design_note.md": _NOTE_MD,
    },
    recording=RecordingSpec(
        suffix=".mp4", codec="libx264", rate_hz=8.0, num_bframes=3, keyframe_every=96
    ),
    plan=(
        Plan(
            name="Read the brief",
            action="Turn the client's table into a checked list of rooms with neighbours.",
            input="The client's table of rooms (CSV) and the outline of the building.",
            output="A list of rooms with areas, neighbours and open questions.",
            softwares=("Revit", "Claude"),
            rubric=(
                "Every room of the table is in the list.",
                "The sum of areas is compared with the gross floor.",
                "Contradictions are listed as questions.",
            ),
            quality=5,
            quality_reason="Complete, and it noticed that the corridors are missing.",
            satisfied=(1, 2, 3),
            collaboration=5,
            completed="yes",
            completed_reason="I only had to confirm one assumption.",
            statements=(5, 4, 5, 5, 4, 5, 5),
        ),
        Plan(
            name="Zone the floor",
            action="Place the rooms in the shell, quiet ones away from the street.",
            input="The checked list of rooms.",
            output="A zoning plan with every room drawn to size.",
            softwares=("Revit", "Claude"),
            rubric=(
                "No room is more than 5 % off its area.",
                "The reading room is on the quiet side.",
            ),
            quality=3,
            quality_reason="The first proposal put the children next to the reading room.",
            satisfied=(1,),
            collaboration=4,
            completed="partly",
            completed_reason="The idea was good, the neighbours were not.",
            statements=(4, 4, 4, 3, 3, 4, 4),
        ),
        Plan(
            name="Check the escape routes",
            action="Measure exits and distances and compare them with the rules.",
            input="The zoning plan.",
            output="A table of exits, widths and distances.",
            softwares=("Revit", "Excel", "Claude"),
            rubric=(
                "Every exit is measured.",
                "The longest distance is stated.",
                "The rule that applies is named.",
            ),
            quality=4,
            quality_reason="Right numbers; it named the rule of another building class first.",
            satisfied=(1, 2),
            collaboration=4,
            completed="yes",
            completed_reason="After one correction the check was complete.",
            statements=(4, 5, 4, 4, 3, 4, 5),
        ),
        Plan(
            name="Write the design note",
            action="Explain the plan to the client on half a page.",
            input="The plan and the table of exits.",
            output="A design note (Markdown) and the table of areas (CSV).",
            softwares=("Word", "Claude"),
            rubric=("The note fits half a page.", "Every number in it is in the plan."),
            quality=5,
            quality_reason="Could be sent nearly as it was.",
            satisfied=(1, 2),
            collaboration=5,
            completed="yes",
            completed_reason="Two sentences were mine, the rest was usable.",
            statements=(5, 5, 5, 4, 5, 5, 5),
        ),
    ),
    visits=(
        Visit(
            key="seg0a",
            step=1,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.2,
                    label="Opens the building's outline",
                    detail="Looks over the empty shell and the two doors that are fixed.",
                    softwares="Revit",
                ),
                Beat(
                    node="n2",
                    seconds=5.35,
                    label="Asks for a checked list of rooms",
                    detail="Attaches the client's table and asks for sums and contradictions.",
                    softwares="Claude",
                    says="Here is the client's table. Please list every room with its area and "
                    "neighbours, add up the areas and tell me what contradicts itself.",
                    attachments=("files/input/brief_areas.csv",),
                ),
                Beat(
                    node="n3",
                    seconds=7.8,
                    actor="claude",
                    label="Lists rooms and sums",
                    detail="Reads the table, adds up 1,090 m² and finds no corridors in it.",
                    softwares="Claude",
                    says="Seven rooms, together 1,090 m². Two things to settle: the table has no "
                    "corridors although the shell is 1,090 m² as well, and the children's corner "
                    "is to be near the entrance while the toilets are at the core.",
                    tools=(
                        Tool(
                            "read_file",
                            {"path": "files/input/brief_areas.csv"},
                            {"rows": 7, "columns": ["room", "required_m2", "must_be_near"]},
                        ),
                        Tool("sum", "90+420+140+210+75+110+45", "1090"),
                    ),
                ),
                Beat(
                    node="n4",
                    seconds=4.6,
                    label="Takes the list over",
                    detail="Copies the rooms into the schedule and marks the two questions.",
                    softwares="Revit",
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
                    seconds=4.75,
                    label="Asks for a zoning",
                    detail="Wants two zones, loud and quiet, with coordinates to draw from.",
                    softwares="Claude",
                    says="Propose a zoning: loud rooms to the street, quiet ones to the garden. "
                    "Give me a rectangle for each room so that I can draw it.",
                ),
                Beat(
                    node="n2",
                    seconds=8.125,
                    actor="claude",
                    label="Proposes rectangles for nine rooms",
                    detail="Gives x, y, width and depth; the children's corner touches the "
                    "reading room.",
                    softwares="Claude",
                    says="Proposal: entrance and desk in the north-west corner, open shelves in "
                    "the middle, reading room and children's corner along the garden, staff, "
                    "store and toilets in the east. Rectangles follow as a table.",
                    tools=(
                        Tool(
                            "make_table",
                            {"columns": ["room", "x", "y", "w", "d"], "unit": "m"},
                            "entrance 0 21 10 9\nshelves 10 13 15 21\nreading 0 0 14 12",
                        ),
                    ),
                ),
                Beat(
                    node="n3",
                    seconds=6.9,
                    label="Draws the zones, moves the children's corner",
                    detail="Draws the loud zone as proposed and shifts the children's corner to "
                    "the entrance.",
                    softwares="Revit",
                    responses=(
                        Response(label="adopt", output="seg1a/n2", source="seg1a/n1"),
                        Response(label="modify", output="seg1a/n2", source="seg1a/n1"),
                    ),
                ),
            ),
        ),
        Visit(
            key="seg2a",
            step=3,
            beats=(
                Beat(
                    node="n1",
                    seconds=3.4,
                    label="Measures the way to an exit",
                    detail="Draws a polyline from the farthest desk to the door.",
                    softwares="Revit",
                ),
                Beat(
                    node="n2",
                    seconds=3.25,
                    label="Asks whether it is allowed",
                    detail="Gives the length and the width of the door.",
                    softwares="Claude",
                    says="From the farthest desk to the west door it is 38 m, the door is 1.20 m "
                    "wide. Is that within the rules?",
                ),
                Beat(
                    node="n3",
                    seconds=5.2,
                    actor="claude",
                    label="Compares with a limit",
                    detail="Takes the limit for a shop, then says which one it took.",
                    softwares="Claude",
                    says="With a limit of 45 m it is. I took the limit for shops; for places of "
                    "assembly it would be 35 m, and then 3 m are too many.",
                ),
                Beat(
                    node="n1",
                    seconds=3.1,
                    label="",
                ),
                Beat(
                    node="n2",
                    seconds=2.9,
                    says="A library is a place of assembly here. I shortened the way by turning a "
                    "shelf: 31 m now. Check again?",
                ),
                Beat(
                    node="n3",
                    seconds=4.4,
                    actor="claude",
                    says="31 m is within 35 m, and 1.20 m is wide enough for 200 persons. Both "
                    "doors pass.",
                ),
                Beat(
                    node="n4",
                    seconds=4.85,
                    label="Writes the result into the table",
                    detail="Keeps the second answer and strikes the first one.",
                    softwares="Excel",
                    responses=(
                        Response(label="reject", output="seg2a/n3", source="seg2a/n2"),
                        Response(label="adopt", output="seg2a/n3#2", source="seg2a/n2#2"),
                    ),
                ),
            ),
        ),
        Visit(
            key="seg1b",
            step=2,
            name="Zone the floor again",
            action="Fit the turned shelf into the zoning.",
            beats=(
                Beat(
                    node="n1",
                    seconds=4.3,
                    label="Asks to fit the shelves",
                    detail="Wants the lost area of the shelves back without longer ways.",
                    softwares="Claude",
                    says="Turning the shelf costs 14 m² of open shelves. Where can I win them "
                    "back without making the way longer?",
                ),
                Beat(
                    node="n2",
                    seconds=6.05,
                    actor="claude",
                    label="Suggests taking area from the group rooms",
                    detail="Would make the three group rooms smaller.",
                    softwares="Claude",
                    says="Take 1.5 m from each group room: that gives 13 m². The rooms would then "
                    "be at 20 m² each.",
                ),
                Beat(
                    node="n3",
                    seconds=4.15,
                    label="Leaves the group rooms as they are",
                    detail="Accepts 8 m² fewer shelves, since the group rooms are at their limit.",
                    softwares="Revit",
                    responses=(Response(label="reject", output="seg1b/n2", source="seg1b/n1"),),
                ),
            ),
        ),
        Visit(
            key="segx",
            step=None,
            name="Repair the plotter's font",
            action="Text in the exported sheet shows boxes; another font is set.",
            beats=(
                Beat(
                    node="n1",
                    seconds=5.0,
                    label="Sets another font for the sheet",
                    detail="Changes the title block's font and exports it again.",
                    softwares="Revit",
                ),
            ),
        ),
        Visit(
            key="seg3a",
            step=4,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.9,
                    label="Asks for the note",
                    detail="Gives the three points that the client has to hear.",
                    softwares="Claude",
                    says="Write the note to the client: half a page, areas within 4 %, children's "
                    "corner moved, escape routes kept. No adjectives.",
                ),
                Beat(
                    node="n2",
                    seconds=7.35,
                    actor="claude",
                    label="Writes half a page",
                    detail="Three sentences with all numbers and a closing line.",
                    softwares="Claude",
                    says="The plan keeps every room of the brief within 4 % of its area. The "
                    "reading room lies on the quiet side. Both exits are 1.20 m wide and the "
                    "longest way to one of them is 31 m. We look forward to your comments.",
                    tools=(
                        Tool(
                            "write_file",
                            {"path": "files/output/design_note.md", "bytes": 331},
                            "ok",
                        ),
                    ),
                ),
                Beat(
                    node="n3",
                    seconds=6.2,
                    label="Edits the note and sends it",
                    detail="Adds the reason for moving the children's corner, drops the last line.",
                    softwares="Word",
                    responses=(Response(label="modify", output="seg3a/n2", source="seg3a/n1"),),
                ),
                Beat(
                    node="n4",
                    seconds=3.4,
                    label="Asks for the table of areas",
                    detail="Wants the drawn areas beside the required ones.",
                    softwares="Claude",
                    says="And the table: required, drawn, difference, as CSV.",
                ),
                Beat(
                    node="n5",
                    seconds=4.8,
                    actor="claude",
                    label="Makes the table of areas",
                    detail="Seven rows with the difference in m².",
                    softwares="Claude",
                    says="Done: seven rows. The largest difference is -8 m² for the open shelves.",
                    tools=(
                        Tool(
                            "write_file",
                            {"path": "files/output/areas_checked.csv", "rows": 7},
                            {"ok": True, "bytes": 244},
                        ),
                    ),
                ),
                Beat(
                    node="n6",
                    seconds=3.6,
                    label="Attaches the table",
                    detail="Takes the file as it is.",
                    softwares="Word",
                    responses=(
                        Response(
                            label="adopt",
                            output="seg3a/n5",
                            source="seg3a/n4",
                            quotes_whole_seconds=True,
                        ),
                    ),
                ),
            ),
        ),
    ),
)

_SESSION_2 = Story(
    session_id="P01_S2",
    participant_id="P01",
    session=2,
    title="Shading of the south facade",
    goal="Find a fixed shading for the reading room's south facade that keeps the desks free of "
    "direct sun from May to August.",
    context="The plan of session 1 is approved. The facade is 14 m long with seven windows; the "
    "client wants no moving parts.",
    achieved=("partly", "The depth is settled; the material is still open."),
    theme=0,
    app="plan",
    document="south_facade.rvt",
    canvas=(
        "Window 1|2|30|11|40|",
        "Window 2|16|30|11|40|",
        "Window 3|30|30|11|40|",
        "Window 4|44|30|11|40|",
        "Window 5|58|30|11|40|",
        "Window 6|72|30|11|40|",
        "Window 7|86|30|11|40|",
        "Canopy 0.9 m|0|76|100|9|",
    ),
    recording=RecordingSpec(
        suffix=".mp4",
        codec="libx264",
        width=1280,
        height=720,
        rate_hz=12.5,
        is_variable=True,
        keyframe_every=400,
    ),
    plan=(
        Plan(
            name="Collect sun angles",
            action="Get the sun's height at noon for the months in question.",
            input="The site's latitude.",
            output="A table of months and angles.",
            softwares=("Revit", "Claude"),
            rubric=("Angles for May to August.", "The formula is stated."),
            quality=5,
            quality_reason="Checked two of the angles by hand; both right.",
            satisfied=(1, 2),
            collaboration=5,
            completed="yes",
            completed_reason="One question, one answer.",
            statements=(5, 5, 5, 3, 5, 5, 5),
        ),
        Plan(
            name="Size the canopy",
            action="Find the depth that shades the desks and draw it.",
            input="The table of angles and the section of the facade.",
            output="Depth and height of the canopy.",
            softwares=("Revit", "SketchUp", "Claude", "Gemini"),
            rubric=("The depth follows from the angles.", "The desks are in shade at noon."),
            quality=4,
            quality_reason="The depth was right after the sill height was corrected.",
            satisfied=(1, 2),
            collaboration=3,
            completed="yes",
            completed_reason="Two agents disagreed and I had to find out why.",
            statements=(3, 4, 3, 4, 2, 3, 4),
        ),
        Plan(
            name="Describe the canopy for the tender",
            action="Write the item of the tender with dimensions and material.",
            input="The drawn canopy.",
            output="One item of the tender.",
            softwares=("Word", "Claude"),
            rubric=("Dimensions agree with the drawing.", "No product is named."),
            quality=2,
            quality_reason="It named a product and left out the fixing.",
            satisfied=(1,),
            collaboration=2,
            completed="no",
            completed_reason="I wrote most of it myself.",
            statements=(3, 2, 2, 3, 2, 3, 3),
        ),
    ),
    visits=(
        Visit(
            key="seg0a",
            step=1,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.5,
                    label="Asks for the sun's height",
                    detail="Latitude 52 degrees north, noon, May to August.",
                    softwares="Claude",
                    says="Height of the sun at noon on the 21st of May, June, July and August at "
                    "52° north? Please state the formula.",
                ),
                Beat(
                    node="n2",
                    seconds=6.4,
                    actor="claude",
                    label="Gives four angles",
                    detail="58, 61, 58 and 50 degrees, with the formula.",
                    softwares="Claude",
                    says="Height = 90° - latitude + declination. May 58°, June 61°, July 58°, "
                    "August 50°.",
                ),
                Beat(
                    node="n3",
                    seconds=4.7,
                    label="Enters the angles into the section",
                    detail="Draws four rays through the window's upper edge.",
                    softwares="Revit",
                    responses=(Response(label="adopt", output="seg0a/n2", source="seg0a/n1"),),
                ),
            ),
        ),
        Visit(
            key="seg1a",
            step=2,
            beats=(
                Beat(
                    node="n4",
                    seconds=5.2,
                    label="Builds a quick model of one window",
                    detail="Extrudes the sill, the window and a board above it.",
                    softwares="SketchUp",
                ),
                Beat(
                    node="n5",
                    seconds=6.75,
                    actor="claude",
                    label="Offers a depth without being asked again",
                    detail="Follows from the angles of the step before: 0.9 m.",
                    softwares="Claude",
                    says="With a canopy 1.6 m above the desks, 0.9 m shade them in June and 1.35 m "
                    "in August. The desks stand 0.45 m behind the glass, so 0.9 m is enough.",
                    gap=0.9,
                ),
                Beat(
                    node="n6",
                    seconds=6.1,
                    label="Draws the canopy while the answer still comes in",
                    detail="Begins with 0.9 m as soon as the number shows.",
                    softwares="Revit",
                    gap=-2.25,
                    responses=(Response(label="adopt", output="seg1a/n5", source="seg0a/n1"),),
                ),
                Beat(
                    node="n7",
                    seconds=4.2,
                    label="Asks a second agent",
                    detail="The same question with the height of the sill.",
                    softwares="Gemini",
                    says="Second opinion, please: canopy 1.6 m above the desk, sun at 61°, sill at "
                    "0.9 m. Which depth?",
                ),
                Beat(
                    node="n8",
                    seconds=5.5,
                    actor="gemini",
                    label="Gives another depth",
                    detail="0.5 m, measured from the sill and not from the desk.",
                    softwares="Gemini",
                    says="At 61° a canopy that is 0.9 m above the sill needs 0.9 / tan 61° = 0.5.",
                ),
                Beat(
                    node="n9",
                    seconds=4.4,
                    label="Keeps the first depth",
                    detail="Sees that the second agent measured from the sill.",
                    softwares="Revit",
                    responses=(
                        Response(
                            label="reject",
                            output="seg1a/n8",
                            source="seg1a/n7",
                            quotes_source_time=False,
                        ),
                    ),
                ),
                Beat(
                    node="n10",
                    seconds=0.0,
                    label="Thinks about a wooden grid",
                    detail="Said aloud once; the video does not show when.",
                    has_time=False,
                ),
            ),
        ),
        Visit(
            key="seg2a",
            step=3,
            beats=(
                Beat(
                    node="n11",
                    seconds=4.6,
                    label="Asks for the tender item",
                    detail="Gives depth, length and the wish for aluminium.",
                    softwares="Claude",
                    says="Write the tender item: fixed canopy, 14 m long, 0.9 m deep, aluminium "
                    "slats, no product names.",
                    is_turn_open=True,
                ),
                Beat(
                    node="n12",
                    seconds=7.2,
                    actor="claude",
                    label="Writes the item",
                    detail="Four lines; one of them describes a product by its colour code.",
                    softwares="Claude",
                    says="Fixed shading canopy, length 14.00 m, depth 0.90 m, slats of extruded "
                    "aluminium, pitch 60 mm, powder coated in the maker's silver. Price per metre.",
                ),
                Beat(
                    node="n13",
                    seconds=6.8,
                    label="Writes the item anew",
                    detail="Keeps only the dimensions, adds the fixing.",
                    softwares="Word",
                    responses=(Response(label="reject", output="seg2a/n12", source="seg2a/n11"),),
                    loops_to="seg1a/n6",
                ),
            ),
        ),
    ),
)

SESSIONS = (_SESSION_1, _SESSION_2)
