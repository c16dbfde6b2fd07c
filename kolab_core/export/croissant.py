"""`croissant.json`: the export for machines, with the responsible-AI fields taken from the card.

Addresses are those on the Hub at the export's tag, so that the file works wherever it is; of a
folder on disk, `mlcroissant` reads the tables through its option `mapping`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from datasets import ClassLabel, Features, List, Value, Video

from kolab_core.export.card import CANARY, describe_column, describe_type, read_sections
from kolab_core.export.layout import RECORDINGS_FOLDER, data_file
from kolab_core.export.tables import export_features
from kolab_core.export.write import Exported
from kolab_core.rows.columns import CONFIG_DESCRIPTIONS

__all__ = ["CROISSANT_NAME", "build_croissant", "describe_rai", "write_croissant"]

CROISSANT_NAME = "croissant.json"

_CONFORMS_TO = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
_HUB = "https://huggingface.co/datasets"
# A repository has no digest of its own: this address stands for it by convention.
_NO_DIGEST = "https://github.com/mlcommons/croissant/issues/80"
_TERMS = (
    "citeAs column conformsTo data dataType equivalentProperty examples extract field fileObject "
    "fileProperty fileSet format includes isLiveDataset jsonPath key md5 parentField path "
    "recordSet references regex repeated replace samplingRate separator source subField transform"
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
_TYPES = {"string": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}
_COLLECTION_TYPES = ["Direct measurement", "Self-reporting", "Surveys"]
# Which section of the card says what; a list where the vocabulary allows several.
_RAI_SECTIONS: dict[str, str | list[str]] = {
    "rai:dataCollection": "Data Collection and Processing",
    "rai:dataCollectionMissingData": "Missing Data",
    "rai:dataPreprocessingProtocol": ["From the Release to Rows"],
    "rai:dataAnnotationProtocol": ["Annotation process"],
    "rai:annotatorDemographics": ["Who are the annotators?", "Who are the source data producers?"],
    "rai:dataUseCases": ["Direct Use", "Out-of-Scope Use"],
    "rai:dataBiases": ["Biases"],
    "rai:dataLimitations": ["Known Ambiguities", "Recommendations"],
    "rai:dataSocialImpact": "Risks",
    "rai:personalSensitiveInformation": ["Personal and Sensitive Information", "Terms of Use"],
    "rai:dataReleaseMaintenancePlan": "Maintenance",
}


def write_croissant(exported: Exported, card: str) -> None:
    """Write the file into the export; see `build_croissant`."""
    text = json.dumps(build_croissant(exported, card), indent=2, ensure_ascii=False)
    (exported.folder / CROISSANT_NAME).write_text(f"{text}\n", encoding="utf-8", newline="\n")


def build_croissant(exported: Exported, card: str) -> dict[str, Any]:
    """The export as JSON-LD.

    Args:
        exported: An export whose tables are written.
        card: Its card's text, which the responsible-AI fields are taken from.
    """
    target = exported.target
    name = f"{exported.target.repo_id.partition('/')[2]}{'-sample' if exported.is_sample else ''}"
    notice = "SAMPLE: a small synthetic sample, not the Kolab recordings. "
    description = (
        f"{notice if exported.is_sample else ''}Will an AI agent's output be adopted, modified or "
        f"rejected, and how is a step rated? Rows cut from screen-recorded work. {CANARY}"
    )
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS_TO,
        "name": name,
        "description": description,
        "url": f"{_HUB}/{target.repo_id}",
        "version": exported.release.version,
        "inLanguage": "en",
        "keywords": ["human-AI collaboration", "AI agents", "screen recording", "benchmark"],
        "citeAs": "@misc{kolab, title = {Kolab}, eprint = {2610.21109}, archivePrefix = {arXiv}}",
        "isLiveDataset": False,
        **describe_rai(card),
        "distribution": list(_distribution(exported)),
        "recordSet": [_record_set(config) for config in exported.sizes],
    }
    if exported.release.license:
        document["license"] = exported.release.license
    return document


def describe_rai(card: str) -> dict[str, str | list[str]]:
    """The responsible-AI fields as plain text, from the card's sections.

    Raises:
        KeyError: The card lacks a section.
    """
    sections = {title: _plain_text(text) for title, text in read_sections(card).items()}
    fields: dict[str, str | list[str]] = {"rai:dataCollectionType": _COLLECTION_TYPES}
    for name, titles in _RAI_SECTIONS.items():
        if isinstance(titles, str):
            fields[name] = sections[titles]
        else:
            fields[name] = [f"{title}: {sections[title]}" for title in titles]
    return fields


def _plain_text(markdown: str) -> str:
    """Markdown as one line of plain text, without code blocks, rules of tables and addresses."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    text = re.sub(r"^\|[ :|-]+\|$\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\| (.*?) \|$", lambda row: row[1].replace(" | ", ": ") + ".", text, flags=re.M)
    text = re.sub(r"(?<!\!)\[([^\]]+)\]\([^)]*\)", r"\1", text)
    return " ".join(text.replace("**", "").replace("`", "").replace("\\*", "*").split())


def _distribution(exported: Exported) -> Iterator[dict[str, Any]]:
    target = exported.target
    for config in exported.sizes:
        path = exported.folder / data_file(config)
        yield {
            "@type": "cr:FileObject",
            "@id": f"{config}.parquet",
            "name": f"{config}.parquet",
            "description": f"The rows of {config}.",
            "contentUrl": f"{_HUB}/{target.repo_id}/resolve/{target.revision}/{data_file(config)}",
            "contentSize": f"{path.stat().st_size} B",
            "encodingFormat": "application/x-parquet",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
    if not exported.recordings:
        return
    yield {
        "@type": "cr:FileObject",
        "@id": "repository",
        "name": "repository",
        "description": "The repository on the Hub.",
        "contentUrl": f"{_HUB}/{target.repo_id}/tree/refs%2Ftags%2F{target.revision}",
        "encodingFormat": "git+https",
        "sha256": _NO_DIGEST,
    }
    yield {
        "@type": "cr:FileSet",
        "@id": "recordings",
        "name": "recordings",
        "description": "The screen recordings, one a session.",
        "containedIn": {"@id": "repository"},
        "encodingFormat": "video/*",
        "includes": f"{RECORDINGS_FOLDER}/*",
    }


def _record_set(config: str) -> dict[str, Any]:
    features = export_features(config)
    record_set: dict[str, Any] = {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": CONFIG_DESCRIPTIONS[config],
        "field": [_column(config, features, name) for name in features],
    }
    key = next((name for name in ("id", "session_id", "participant_id") if name in features), None)
    if key is not None:
        record_set["key"] = {"@id": f"{config}/{key}"}
    return record_set


def _column(config: str, features: Features, name: str) -> dict[str, Any]:
    source = {"fileObject": {"@id": f"{config}.parquet"}, "extract": {"column": name}}
    field = _field(f"{config}/{name}", name, features[name], source)
    return {**field, "description": describe_column(config, name)}


def _field(
    place: str, name: str, feature: Any, source: dict[str, Any], *, is_in_list: bool = False
) -> dict[str, Any]:
    """A field; the parts of a struct, or of a list of structs, as fields inside it."""
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": place,
        "name": name,
        "description": describe_type(feature),
    }
    if isinstance(feature, List):
        field["repeated"] = True
        feature = feature.feature
        is_in_list = True
    if not isinstance(feature, dict):
        return {**field, "dataType": _data_type(feature), "source": source}
    steps = source.get("transform", [])
    field["subField"] = [
        _field(
            f"{place}/{part}",
            part,
            inner,
            {**source, "transform": [*steps, {"jsonPath": part}]},
            is_in_list=is_in_list,
        )
        for part, inner in feature.items()
        if not (is_in_list and _is_list_of_structs(inner))
    ]
    return field


def _is_list_of_structs(feature: Any) -> bool:
    """Inside another list this is left out: no path of Croissant 1.0 leads there."""
    return isinstance(feature, List) and isinstance(feature.feature, dict)


def _data_type(feature: Any) -> str | list[str]:
    if isinstance(feature, ClassLabel):
        return ["sc:Integer", "cr:Label"]
    if isinstance(feature, Video):
        return "sc:VideoObject"
    if isinstance(feature, Value):
        return _TYPES[feature.dtype]
    raise TypeError(f"feature: found {feature!r}; expected a value, a class or a video.")
