"""Asking a model: any callable or program over an experiment's rows, each answer kept at once."""

from kolab_core.predict.answers_file import AnswersFileError, Setup
from kolab_core.predict.asking import PredictError
from kolab_core.predict.program import Program, ProgramError
from kolab_core.predict.running import Predicted, predict

__all__ = [
    "AnswersFileError",
    "PredictError",
    "Predicted",
    "Program",
    "ProgramError",
    "Setup",
    "predict",
]
