"""P02, an accountant: a bank reconciliation, then a cash forecast.

Holds: an AI output used again without a request (an empty source), two AI brands, a two-label
node, a loop of three rounds, a zero-length occurrence, four steps before the last one (session 1);
no chat log, a missing rating, a last step with one step before it (session 2).
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
    participant_id="P02",
    occupation="Accountant",
    sector="Business & Financial Operations",
    years_experience=14,
    answers=survey_answers(
        occupation="Accountant",
        seed=202,
        texts={
            "Q2": "Monthly closings for small firms, mostly craft businesses.",
            "Q7": "Good at explaining a difference once I show it both sides.",
            "Q11": "Matching and wording, yes. Booking, no.",
            "Q12": "I had to retype numbers twice because copying lost the decimals.",
            "Q29": None,
        },
        agents=("Claude", "ChatGPT"),
    ),
)

_BANK_CSV = """date,text,amount
2025-09-02,Rent September,-1850.00
2025-09-05,Invoice 3117,2380.00
2025-09-09,Card fees,-41.20
2025-09-16,Invoice 3121,1190.00
2025-09-23,Fuel,-96.40
2025-09-29,Invoice 3124,714.00
"""

_LEDGER_CSV = """date,account,amount
2025-09-02,4210 Rent,-1850.00
2025-09-05,8400 Sales,2380.00
2025-09-16,8400 Sales,1109.00
2025-09-23,4530 Vehicles,-96.40
2025-10-01,8400 Sales,714.00
"""

_DIFFERENCES_TXT = """Differences in September
1  Card fees of 41.20 are not booked.
2  Invoice 3121: booked 1,109.00, paid 1,190.00 (digits swapped), 81.00.
3  Invoice 3124: paid on 29 September, booked on 1 October, 714.00.
"""

_SESSION_1 = Story(
    session_id="P02_S1",
    participant_id="P02",
    session=1,
    title="Bank reconciliation for September",
    goal="Reconcile the bank account with the ledger for September and explain each difference "
    "so that the closing can be signed.",
    context="A small craft business with six movements in the month. The ledger shows 753.80 less "
    "than the bank; nobody knows why.",
    achieved=("yes", "Three differences explained, the balance agrees."),
    theme=1,
    app="sheet",
    document="reconciliation_09.xlsx",
    canvas=(
        "Date|Text|Bank|Ledger|Difference",
        "02 Sep|Rent September|-1850.00|-1850.00|0.00",
        "05 Sep|Invoice 3117|2380.00|2380.00|0.00",
        "09 Sep|Card fees|-41.20||-41.20",
        "16 Sep|Invoice 3121|1190.00|1109.00|81.00",
        "23 Sep|Fuel|-96.40|-96.40|0.00",
        "29 Sep|Invoice 3124|714.00||714.00",
        "|Sum|2296.40|1542.60|753.80",
        "|Card fees, not booked|-41.20||",
        "|Digits swapped|81.00||",
        "|Booked in October|714.00||",
        "|Left to explain|0.00||",
    ),
    files={
        "files/input/bank_september.csv": _BANK_CSV,
        "files/input/ledger_september.csv": _LEDGER_CSV,
        "files/output/differences.txt": _DIFFERENCES_TXT,
    },
    recording=RecordingSpec(
        suffix=".webm",
        codec="libvpx-vp9",
        width=960,
        height=540,
        rate_hz=10.0,
        is_variable=True,
        keyframe_every=160,
    ),
    plan=(
        Plan(
            name="Import both sides",
            action="Bring bank and ledger into one sheet with one sign convention.",
            input="Two CSV files.",
            output="One sheet with six rows.",
            softwares=("Excel", "Claude"),
            rubric=("Every movement is in the sheet.", "Signs agree."),
            quality=5,
            quality_reason="No manual work left.",
            satisfied=(1, 2),
            collaboration=5,
            completed="yes",
            completed_reason="It did exactly this.",
            statements=(5, 5, 5, 4, 5, 5, 5),
        ),
        Plan(
            name="Match the movements",
            action="Pair each bank line with its booking.",
            input="The joined sheet.",
            output="Pairs, and lines without a partner.",
            softwares=("Excel", "Claude"),
            rubric=("Pairs are right.", "Lines without a partner are marked."),
            quality=4,
            quality_reason="One pair had different amounts and was still called a match.",
            satisfied=(2,),
            collaboration=4,
            completed="yes",
            completed_reason="I corrected one pair.",
            statements=(4, 4, 5, 4, 3, 5, 4),
        ),
        Plan(
            name="Explain the differences",
            action="Find the reason of each difference.",
            input="Lines without a partner.",
            output="A reason and an amount for each.",
            softwares=("Excel", "ChatGPT", "Claude"),
            rubric=("Every difference has a reason.", "The reasons add up."),
            quality=3,
            quality_reason="It guessed a reason for the fees instead of asking for the receipt.",
            satisfied=(1,),
            collaboration=3,
            completed="partly",
            completed_reason="Two of three.",
            statements=(3, 3, 4, 4, 2, 4, 4),
        ),
        Plan(
            name="Prepare the bookings",
            action="Write the correcting entries.",
            input="Reasons and amounts.",
            output="Three entries with accounts.",
            softwares=("DATEV", "Claude"),
            rubric=("Debit equals credit.", "The period is right."),
            quality=4,
            quality_reason="Right accounts, one wrong period.",
            satisfied=(1,),
            collaboration=5,
            completed="yes",
            completed_reason="Fast, and it said where it was unsure.",
            statements=(5, 4, 5, 5, 4, 5, 5),
        ),
        Plan(
            name="Write the memo",
            action="Explain the reconciliation in three lines for the file.",
            input="The corrected sheet.",
            output="A memo (text).",
            softwares=("Word", "Claude"),
            rubric=("Three lines.", "Amounts agree with the sheet."),
            quality=5,
            quality_reason="Taken over word for word.",
            satisfied=(1, 2),
            collaboration=5,
            completed="yes",
            completed_reason="Nothing to correct in the end.",
            statements=(5, 5, 5, 5, 5, 5, 5),
        ),
    ),
    visits=(
        Visit(
            key="s1",
            step=1,
            beats=(
                Beat(
                    node="n1",
                    seconds=4.4,
                    label="Hands over both files",
                    detail="Attaches bank and ledger, states the sign convention.",
                    softwares="Claude",
                    says="Join these two files by date: bank and ledger in one table, receipts "
                    "positive, payments negative.",
                    attachments=(
                        "files/input/bank_september.csv",
                        "files/input/ledger_september.csv",
                    ),
                ),
                Beat(
                    node="n2",
                    seconds=6.1,
                    actor="claude",
                    label="Joins the files",
                    detail="Six rows; two of them without a ledger side.",
                    softwares="Claude",
                    says="Joined: six rows. Two bank lines have no booking in September, and one "
                    "booking is dated 1 October.",
                    tools=(
                        Tool(
                            "read_table",
                            {"files": ["bank_september.csv", "ledger_september.csv"]},
                            {"rows": [6, 5]},
                        ),
                        Tool("join", "on date, outer", "6 rows"),
                    ),
                ),
                Beat(
                    node="n3",
                    seconds=3.8,
                    label="Pastes the table",
                    detail="Takes all six rows over.",
                    softwares="Excel",
                    responses=(Response(label="adopt", output="s1/n2", source="s1/n1"),),
                ),
                Beat(
                    node="n4",
                    seconds=0.0,
                    label="Saves the sheet",
                    detail="One keystroke.",
                    softwares="Excel",
                ),
            ),
        ),
        Visit(
            key="s2",
            step=2,
            beats=(
                Beat(
                    node="n1",
                    seconds=3.2,
                    label="Asks for the next pair",
                    detail="Goes through the list pair by pair.",
                    softwares="Claude",
                    says="Pair the first two bank lines.",
                ),
                Beat(
                    node="n2",
                    seconds=4.1,
                    actor="claude",
                    label="Names a pair",
                    detail="Says which booking belongs to the line.",
                    softwares="Claude",
                    says="Rent pairs with 4210, invoice 3117 with 8400; both to the cent.",
                ),
                Beat(
                    node="n3",
                    seconds=2.6,
                    label="Ticks the pair off",
                    detail="Marks both lines in green.",
                    softwares="Excel",
                    responses=(Response(label="adopt", output="s2/n2", source="s2/n1"),),
                ),
                Beat(node="n1", seconds=2.7, says="Invoice 3121?"),
                Beat(
                    node="n2",
                    seconds=3.9,
                    actor="claude",
                    says="It pairs with the booking of 16 September over 1,109.00.",
                ),
                Beat(
                    node="n3",
                    seconds=3.3,
                    responses=(
                        Response(label="adopt", output="s2/n2#2", source="s2/n1#2"),
                        Response(label="modify", output="s2/n2#2", source="s2/n1#2"),
                    ),
                ),
                Beat(node="n1", seconds=2.2, says="And the card fees?"),
                Beat(
                    node="n2",
                    seconds=3.6,
                    actor="claude",
                    says="They pair with the fuel of 23 September, as other costs.",
                ),
                Beat(
                    node="n3",
                    seconds=2.4,
                    responses=(Response(label="reject", output="s2/n2#3", source="s2/n1#3"),),
                ),
            ),
        ),
        Visit(
            key="s3",
            step=3,
            beats=(
                Beat(
                    node="n1",
                    seconds=3.9,
                    label="Asks another agent for reasons",
                    detail="Pastes the three open lines.",
                    softwares="ChatGPT",
                    says="Three open lines: -41.20 card fees, 81.00 on invoice 3121, 714.00 on "
                    "invoice 3124. Give the likely reason of each.",
                ),
                Beat(
                    node="n2",
                    seconds=6.6,
                    actor="chatgpt",
                    label="Gives three reasons",
                    detail="Swapped digits, booked in October, and a guess about the fees.",
                    softwares="ChatGPT",
                    says="1190 against 1109 looks like swapped digits, since 81 is a multiple of "
                    "9. 714.00 was booked on 1 October. The fees were probably booked with the "
                    "rent.",
                ),
                Beat(
                    node="n3",
                    seconds=5.0,
                    label="Keeps two reasons, looks up the third",
                    detail="The fees were not booked at all; changes the wording.",
                    softwares="Excel",
                    responses=(Response(label="modify", output="s3/n2", source="s3/n1"),),
                ),
            ),
        ),
        Visit(
            key="s4",
            step=4,
            beats=(
                Beat(
                    node="n1",
                    seconds=3.5,
                    label="Asks for the entries",
                    detail="Three entries, accounts of the usual chart.",
                    softwares="Claude",
                    says="Write the correcting entries for the three differences.",
                ),
                Beat(
                    node="n2",
                    seconds=5.4,
                    actor="claude",
                    label="Writes three entries",
                    detail="The third one in October.",
                    softwares="Claude",
                    says="4970 to 1200, 41.20. 1400 to 8400, 81.00. The third needs no entry, only "
                    "a transfer between periods; I am unsure about the date.",
                ),
                Beat(
                    node="n3",
                    seconds=4.2,
                    label="Books the entries, changes the period",
                    detail="Moves the third one to September.",
                    softwares="DATEV",
                    responses=(Response(label="modify", output="s4/n2", source="s4/n1"),),
                ),
                Beat(
                    node="n4",
                    seconds=3.4,
                    label="Uses the joined table again",
                    detail="Takes the table of the first step as the proof, without asking anew.",
                    softwares="DATEV",
                    responses=(Response(label="adopt", output="s1/n2"),),
                ),
            ),
        ),
        Visit(
            key="s5",
            step=5,
            beats=(
                Beat(
                    node="n1",
                    seconds=3.3,
                    label="Asks for a memo",
                    detail="Three lines for the file.",
                    softwares="Claude",
                    says="Three lines for the file: each difference with its amount.",
                ),
                Beat(
                    node="n2",
                    seconds=4.9,
                    actor="claude",
                    label="Writes the memo",
                    detail="Three numbered lines.",
                    softwares="Claude",
                    says="1 Card fees of 41.20 are not booked. 2 Invoice 3121: digits swapped, "
                    "81.00. 3 Invoice 3124: paid on 29 September, booked on 1 October, 714.00.",
                ),
                Beat(
                    node="n3",
                    seconds=3.6,
                    label="Puts the memo on file",
                    detail="Word for word.",
                    softwares="Word",
                    responses=(Response(label="adopt", output="s5/n2", source="s5/n1"),),
                ),
            ),
        ),
    ),
)

_SESSION_2 = Story(
    session_id="P02_S2",
    participant_id="P02",
    session=2,
    title="Cash forecast over eight weeks",
    goal="Forecast the cash of the next eight weeks and say in which week the overdraft would be "
    "touched.",
    context="The same business. Wages are due in the fourth week. The agent sits inside the "
    "spreadsheet, which keeps no log of the conversation.",
    achieved=("yes", "Week 5 is the tight one; the bank will be asked beforehand."),
    theme=1,
    app="sheet",
    document="cash_forecast.xlsx",
    has_chat=False,
    canvas=(
        "Week|Opening|Receipts|Payments|Closing",
        "1|6200|1400|-2100|5500",
        "2|5500|900|-1650|4750",
        "3|4750|2600|-900|6450",
        "4|6450|700|-6800|350",
        "5|350|500|-1700|-850",
        "6|-850|3100|-800|1450",
        "7|1450|1200|-950|1700",
        "8|1700|2400|-1100|3000",
        "|Lowest week|5||-850",
    ),
    recording=RecordingSpec(
        suffix=".mkv",
        codec="libx264",
        width=1024,
        height=640,
        rate_hz=8.0,
        num_bframes=2,
        keyframe_every=200,
        start_ms=250,
    ),
    plan=(
        Plan(
            name="Build the table of weeks",
            action="Lay out opening, receipts, payments and closing for eight weeks.",
            input="Open invoices and fixed costs.",
            output="A table of eight weeks.",
            softwares=("Excel", "Claude"),
            rubric=("Each closing is the next opening.", "Wages are in week 4."),
            quality=None,
            quality_reason="",
            satisfied=(),
            collaboration=4,
            completed="yes",
            completed_reason="The formulas were right at the second try.",
            statements=(4, 4, 4, None, 4, 4, 4),
        ),
        Plan(
            name="Find the tight week",
            action="Say which week is lowest and what would move it.",
            input="The table.",
            output="One week, one amount, one remedy.",
            softwares=("Excel", "Claude"),
            rubric=("The week is right.", "The remedy is within the firm's power."),
            quality=5,
            quality_reason="Right week and a usable remedy.",
            satisfied=(1, 2),
            collaboration=5,
            completed="yes",
            completed_reason="It asked back about the overdraft, which was the point.",
            statements=(5, 5, 4, 5, 5, 5, 5),
        ),
    ),
    visits=(
        Visit(
            key="w1",
            step=1,
            beats=(
                Beat(
                    node="a1",
                    seconds=5.1,
                    label="Lists invoices and fixed costs",
                    detail="Types the known amounts week by week.",
                    softwares="Excel",
                ),
                Beat(
                    node="a2",
                    seconds=4.2,
                    label="Asks for the formulas",
                    detail="Closing is opening plus receipts plus payments.",
                    softwares="Claude",
                    says="Fill the closing column and carry it to the next opening.",
                ),
                Beat(
                    node="a3",
                    seconds=5.6,
                    actor="claude",
                    label="Fills the columns",
                    detail="Subtracts payments that are negative already.",
                    softwares="Claude",
                    says="Filled: closing = opening + receipts - payments.",
                ),
                Beat(
                    node="a4",
                    seconds=4.4,
                    label="Undoes the fill",
                    detail="Payments are negative already, so the sign is wrong.",
                    softwares="Excel",
                    responses=(Response(label="reject", output="w1/a3", source="w1/a2"),),
                ),
                Beat(
                    node="a5",
                    seconds=4.0,
                    actor="claude",
                    label="Fills the columns again",
                    detail="With the sign corrected, unasked.",
                    softwares="Claude",
                    says="Sorry, payments are negative already. Now closing = opening + receipts "
                    "+ payments.",
                ),
                Beat(
                    node="a6",
                    seconds=3.7,
                    label="Keeps the second fill",
                    detail="Checks weeks 1 and 4 by hand.",
                    softwares="Excel",
                    responses=(Response(label="adopt", output="w1/a5"),),
                ),
            ),
        ),
        Visit(
            key="w2",
            step=2,
            beats=(
                Beat(
                    node="b1",
                    seconds=4.3,
                    label="Asks for the tight week",
                    detail="And what would move it.",
                    softwares="Claude",
                    says="Which week is lowest, and what could I do about it?",
                ),
                Beat(
                    node="b2",
                    seconds=6.2,
                    actor="claude",
                    label="Names week 5 and two remedies",
                    detail="Asks for the limit of the overdraft.",
                    softwares="Claude",
                    says="Week 5 closes at -850. Either ask two customers to pay a week earlier, "
                    "or move the insurance to week 6. What is the overdraft's limit?",
                ),
                Beat(
                    node="b3",
                    seconds=5.3,
                    label="Takes the second remedy",
                    detail="Moves the insurance and leaves the customers alone.",
                    softwares="Excel",
                    responses=(Response(label="modify", output="w2/b2", source="w2/b1"),),
                ),
                Beat(
                    node="b4",
                    seconds=3.5,
                    label="Asks for a chart",
                    detail="Closing balance over the weeks.",
                    softwares="Claude",
                    says="Add a line chart of the closing balance.",
                ),
                Beat(
                    node="b5",
                    seconds=4.5,
                    actor="claude",
                    label="Adds the chart",
                    detail="With the zero line marked.",
                    softwares="Claude",
                    says="Added below the table, zero line in red.",
                ),
                Beat(
                    node="b6",
                    seconds=4.2,
                    label="Keeps the chart",
                    detail="Moves it beside the table.",
                    softwares="Excel",
                    responses=(Response(label="adopt", output="w2/b5", source="w2/b4"),),
                ),
            ),
        ),
    ),
)

SESSIONS = (_SESSION_1, _SESSION_2)
