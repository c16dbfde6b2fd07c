"""Figures of a release and of scores: each takes data and gives a matplotlib `Figure`."""

from kolab_core.figures.answers import plot_answers, plot_tools
from kolab_core.figures.lengths import plot_clip_lengths, plot_time_estimates, plot_time_spent
from kolab_core.figures.predictions import plot_mean_predictions, plot_predicted_labels
from kolab_core.figures.relations import plot_relation
from kolab_core.figures.saving import FIGURE_FORMATS, save_figure
from kolab_core.figures.scores import plot_class_changes, plot_context_curve, plot_modalities
from kolab_core.figures.shares import plot_joint_ratings, plot_labels, plot_ratings

__all__ = [
    "FIGURE_FORMATS",
    "plot_answers",
    "plot_class_changes",
    "plot_clip_lengths",
    "plot_context_curve",
    "plot_joint_ratings",
    "plot_labels",
    "plot_mean_predictions",
    "plot_modalities",
    "plot_predicted_labels",
    "plot_ratings",
    "plot_relation",
    "plot_time_estimates",
    "plot_time_spent",
    "plot_tools",
    "save_figure",
]
