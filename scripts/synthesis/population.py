"""Sessions told from quotas: as many as wanted, each in the words of its trade."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from scripts.synthesis.phrases import Phrases
from scripts.synthesis.quotas import Instance, Quota
from scripts.synthesis.story import (
    Beat,
    Look,
    Participant,
    Plan,
    RecordingSpec,
    Response,
    Story,
    Visit,
)
from scripts.synthesis.surveys import survey_answers
from scripts.synthesis.trades import AI_TOOLS

__all__ = ["people_of", "tell_story"]

_ACTORS = ("claude", "chatgpt", "gemini", "grok")
_ACTOR_SHARES = (0.82, 0.08, 0.07, 0.03)
_WEIGHTS = {"work": 3.0, "ask": 2.0, "ai": 4.0, "respond": 2.2}
# x264 gives the same bytes each time only where a row of a picture's chroma, half its width, is a
# multiple of 64.
_RECORDINGS = (
    RecordingSpec(suffix=".mp4", codec="libx264", width=1280, height=720, num_bframes=3),
    RecordingSpec(suffix=".webm", codec="libvpx-vp9", width=960, height=540, is_variable=True),
    RecordingSpec(suffix=".mkv", codec="libx264", width=1024, height=640, start_ms=250),
    RecordingSpec(suffix=".mp4", codec="libx264", width=1024, height=576, is_variable=True),
)
_LONG_SESSION_MS = 5 * 60_000


def people_of(quotas: list[Quota], *, seed: int) -> list[Participant]:
    """The participants of a list of quotas, in order."""
    rng = np.random.default_rng([seed, 1])
    trades = {quota.participant_index: quota.trade for quota in quotas}
    return [
        Participant(
            participant_id=f"P{index + 1:02d}",
            occupation=trade.occupation,
            sector=trade.sector,
            years_experience=int(rng.integers(1, 31)),
            answers=survey_answers(
                occupation=trade.occupation,
                seed=seed * 10_000 + index,
                agents=("Claude", _other_tool(index)),
            ),
        )
        for index, trade in sorted(trades.items())
    ]


def tell_story(quota: Quota, *, seed: int, mean_minutes: float) -> Story:
    """Tell one session that holds exactly what its quota says.

    Args:
        quota: Steps, instances and ratings.
        seed: The release's seed; a session's words and times depend on it and the quota alone.
        mean_minutes: The mean length of a session of the release.
    """
    rng = np.random.default_rng([seed, 2, quota.participant_index, quota.session])
    phrases = Phrases(quota.trade, quota.session, rng)
    teller = _Teller(quota, phrases, rng)
    visits = _to_length(teller.visits(), mean_minutes * 60 * quota.length_factor)
    spec = _RECORDINGS[(2 * quota.participant_index + quota.session) % len(_RECORDINGS)]
    is_long = mean_minutes * 60_000 > _LONG_SESSION_MS
    participant_id = f"P{quota.participant_index + 1:02d}"
    return Story(
        session_id=f"{participant_id}_S{quota.session}",
        participant_id=participant_id,
        session=quota.session,
        title=phrases.title,
        goal=phrases.goal,
        context=phrases.context,
        achieved=phrases.achieved(),
        plan=tuple(
            replace(step, estimated_minutes=minutes)
            for step, minutes in zip(
                teller.plan(), _estimates(quota, seed=seed, mean_minutes=mean_minutes), strict=True
            )
        ),
        visits=visits,
        look=Look(
            app=quota.trade.app,
            document=phrases.document,
            canvas=phrases.canvas(len(quota.instances)),
            theme=quota.participant_index,
            recording=replace(spec, rate_hz=2.0, keyframe_every=240) if is_long else spec,
        ),
        has_chat=quota.has_chat,
        lead_in_ms=min(1500, round(mean_minutes * 600)),
    )


def _estimates(quota: Quota, *, seed: int, mean_minutes: float) -> list[float]:
    """How long each step should take: people are too hopeful, and think in round numbers."""
    rng = np.random.default_rng([seed, 3, quota.participant_index, quota.session])
    number = len(quota.instances)
    hopes = mean_minutes / number * 0.8 * rng.lognormal(0, 0.5, size=number)
    unit = 5 if mean_minutes / number > 5 else 0.1
    return [round(max(1, round(hope / unit)) * unit, 1) for hope in hopes.tolist()]


def _other_tool(participant_index: int) -> str:
    return AI_TOOLS[1 + participant_index % (len(AI_TOOLS) - 1)]


@dataclass
class _Teller:
    """Tells a session's visits in order, so that a beat only refers to what has been told."""

    quota: Quota
    phrases: Phrases
    rng: np.random.Generator
    _asked: list[tuple[int, str]] = field(default_factory=list)
    """Requests so far, `(step, beat)`."""
    _given: list[str] = field(default_factory=list)
    """The beats of AI outputs so far."""

    def plan(self) -> tuple[Plan, ...]:
        """The planned steps, with ratings; each program of the trade is used somewhere."""
        quota, plans = self.quota, []
        for index, (collaboration, quality) in enumerate(
            zip(quota.collaboration, quota.quality, strict=True)
        ):
            softwares = [self._software(index + 1), "Claude"]
            if index == 0:
                softwares.append(_other_tool(quota.participant_index))
            words = self.phrases.step(index + 1)
            plans.append(
                Plan(
                    name=words.name,
                    action=words.action,
                    input=words.input,
                    output=words.output,
                    softwares=tuple(softwares),
                    rubric=words.rubric,
                    quality=quality,
                    quality_reason=self.phrases.reason(quality),
                    satisfied=tuple(range(1, 1 + min(3, (quality or 1) - 1))),
                    collaboration=collaboration,
                    completed=_completed(collaboration),
                    completed_reason=self.phrases.reason(collaboration),
                    statements=self._statements(collaboration),
                )
            )
        return tuple(plans)

    def visits(self) -> tuple[Visit, ...]:
        """Each step's visit; at times the end of a step comes back later, or other work between."""
        visits: list[Visit] = []
        held: tuple[int, tuple[Instance, ...]] | None = None
        for step, instances in enumerate(self.quota.instances, start=1):
            now, later = instances, None
            is_last = step == len(self.quota.instances)
            if held is None and not is_last and len(instances) > 1 and self.rng.random() < 0.25:
                now, later = instances[:-1], (step, instances[-1:])
            visits.append(self._visit(f"seg{step - 1}a", step, now))
            if held is not None:
                visits.append(self._visit(f"seg{held[0] - 1}b", *held))
            held = later
            if self.rng.random() < 0.05:
                visits.append(self._custom(f"custom{step}"))
        return tuple(visits)

    def _visit(self, key: str, step: int, instances: tuple[Instance, ...]) -> Visit:
        beats = [self._work("n1", step)]
        own = 0
        for instance in instances:
            if instance.kind == "own":
                own += 1
                is_again = own > 1 and self.rng.random() < 0.3
                beats += self._exchange(key, step, instance, beats, is_again=is_again)
            elif instance.kind == "earlier":
                beats += self._continuation(key, step, instance, beats)
            else:
                beats.append(self._reuse(step, instance, beats))
        if self.rng.random() < 0.4:
            beats.append(self._work(_next_id(beats), step))
        return Visit(key=key, step=step, beats=tuple(beats))

    def _custom(self, key: str) -> Visit:
        name, action = self.phrases.interruption()
        beat = self._work("n1", 1)
        return Visit(key=key, step=None, beats=(beat,), name=name, action=action)

    def _work(self, node: str, step: int) -> Beat:
        label, detail = self.phrases.work(step)
        return Beat(
            node=node,
            seconds=self._weight("work"),
            label=label,
            detail=detail,
            softwares=self._software(step),
        )

    def _exchange(
        self, key: str, step: int, instance: Instance, beats: list[Beat], *, is_again: bool
    ) -> list[Beat]:
        """Request, output, response: as new nodes, or as the last exchange's nodes once more."""
        is_again = is_again and _ends_with_exchange(beats)
        if is_again:
            names = [beat.node for beat in beats[-3:]]
            actor = beats[-2].actor
        else:
            first = int(_next_id(beats)[1:])
            names = [f"n{first + offset}" for offset in range(3)]
            actor = str(self.rng.choice(_ACTORS, p=_ACTOR_SHARES))
        counts = [1 + sum(beat.node == name for beat in beats) for name in names]
        source, output = (f"{key}/{names[i]}#{counts[i]}" for i in (0, 1))
        question, answer = self.phrases.question(step), self.phrases.answer(step)
        labels = ("", "", "") if is_again else self.phrases.exchange(step, instance.label)
        ai_seconds = self._weight("ai")
        gap = -0.4 * ai_seconds if self.rng.random() < 0.08 else 0.3
        self._asked.append((step, source))
        self._given.append(output)
        response = Response(label=instance.label, output=output, source=source)
        return [
            Beat(
                node=names[0],
                seconds=self._weight("ask"),
                label=labels[0],
                detail=question if labels[0] else "",
                softwares=actor.title(),
                says=question,
            ),
            Beat(
                node=names[1],
                seconds=ai_seconds,
                actor=actor,
                label=labels[1],
                detail=self.phrases.summary(step) if labels[1] else "",
                softwares=actor.title(),
                says=answer,
                tools=self.phrases.tools(step),
            ),
            replace(self._respond(names[2], step, labels[2], response), gap=gap),
        ]

    def _continuation(
        self, key: str, step: int, instance: Instance, beats: list[Beat]
    ) -> list[Beat]:
        """An AI output that goes back to a request of an earlier step, and its response."""
        earlier = [name for asked, name in self._asked if asked < step]
        first = int(_next_id(beats)[1:])
        output = f"{key}/n{first}#1"
        self._given.append(output)
        labels = self.phrases.exchange(step, instance.label)
        response = Response(label=instance.label, output=output, source=earlier[-1])
        return [
            Beat(
                node=f"n{first}",
                seconds=self._weight("ai"),
                actor="claude",
                label=labels[1],
                detail=self.phrases.summary(step),
                softwares="Claude",
                says=self.phrases.answer(step),
            ),
            self._respond(f"n{first + 1}", step, labels[2], response),
        ]

    def _respond(self, node: str, step: int, label: str, response: Response) -> Beat:
        """What the user does with an output; a node that comes again has no label."""
        return Beat(
            node=node,
            seconds=self._weight("respond"),
            label=label,
            detail=self.phrases.work(step)[1] if label else "",
            softwares=self._software(step),
            responses=(response,),
        )

    def _reuse(self, step: int, instance: Instance, beats: list[Beat]) -> Beat:
        """An output of before, used again without a request."""
        output = self._given[int(self.rng.integers(len(self._given)))]
        return Beat(
            node=_next_id(beats),
            seconds=self._weight("respond"),
            label=self.phrases.exchange(step, instance.label)[2],
            detail="Goes back to an answer of before.",
            softwares=self._software(step),
            responses=(Response(label=instance.label, output=output),),
        )

    def _software(self, step: int) -> str:
        softwares = self.quota.trade.softwares
        return softwares[(step - 1 + self.quota.session - 1) % len(softwares)]

    def _weight(self, kind: str) -> float:
        return _WEIGHTS[kind] * float(self.rng.lognormal(0, 0.7))

    def _statements(self, rating: int | None) -> tuple[int | None, ...]:
        around = (rating or 3) + self.rng.integers(-1, 2, size=7)
        return tuple(int(np.clip(value, 1, 5)) for value in around)


def _completed(rating: int | None) -> str | None:
    if rating is None:
        return None
    return "yes" if rating > 3 else "partly" if rating == 3 else "no"


def _ends_with_exchange(beats: list[Beat]) -> bool:
    """Whether the last three beats are a request, its output and the response."""
    if len(beats) < 3:
        return False
    source, output, response = beats[-3:]
    return bool(source.says and response.responses) and output.actor != "user"


def _next_id(beats: list[Beat]) -> str:
    return f"n{1 + max((int(beat.node[1:]) for beat in beats), default=0)}"


def _to_length(visits: tuple[Visit, ...], seconds: float) -> tuple[Visit, ...]:
    """Stretch all beats by one factor, so that the session gets its length."""
    factor = seconds / sum(beat.seconds + beat.gap for visit in visits for beat in visit.beats)
    return tuple(
        replace(
            visit,
            beats=tuple(
                replace(beat, seconds=beat.seconds * factor, gap=beat.gap * factor)
                for beat in visit.beats
            ),
        )
        for visit in visits
    )
