# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of plot_quality.py for stixels in boxes of labelled things: no times, nothing of the
machine."""
from plots import data_folder, read, table, write

FOLDER = "semantickitti"


def rows_of(evaluate, programs):
    folder = data_folder() / FOLDER
    if not folder.exists():
        return []
    found = evaluate(programs, "boxes", folder)
    return [{"frames": found["frames"], "boxes": found["boxes"],
             "confidence": f"{row['confidence']:.1f}", "stixels": row["stixels"],
             "things": row["things"],
             **{key: f"{row[key]:.5f}" for key in ("precision", "precision_of_things", "recall")}}
            for row in found["confidences"]]


def measure(evaluate, programs):
    rows = rows_of(evaluate, programs)
    if rows:
        write("boxes.csv", rows)


def sample(evaluate, programs):
    """Rows that the test measures again."""
    return {"boxes.csv": rows_of(evaluate, programs)}


def tables():
    lines = [["confidence from", "stixels", "right, %", "of things", "right, %", "boxes",
              "hit, %"]]
    lines += [[row["confidence"], row["stixels"], f'{100 * float(row["precision"]):.1f}',
               row["things"], f'{100 * float(row["precision_of_things"]):.1f}', row["boxes"],
               f'{100 * float(row["recall"]):.1f}'] for row in read("boxes.csv")]
    return table("boxes", lines, 0)
