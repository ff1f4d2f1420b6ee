"""Weights of the model of overtaken lines, as `tools/sentence_model/fit_overtaken.py` wrote them."""

ALWAYS = -7.83
OF_PAIRS = (
    1.70,  # covered
    2.15,  # shared
    1.89,  # rarest
    1.32,  # other_values
    1.05,  # other_numbers
    1.54,  # rejects
    1.14,  # changes
    1.49,  # binds
    1.44,  # reports
    0.54,  # of_choice
    1.56,  # of_task
    -0.94,  # same_session
    -1.65,  # is_list
)
