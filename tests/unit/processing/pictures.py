"""Draws pages and slides for tests, with the font inside Pillow: no file of the system is needed."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

LETTER = (
    "Minutes of the programme committee",
    "The committee received 412 proposals for 18 tracks.",
    "Every proposal was read by at least three reviewers.",
    "All rooms except two are recorded this year.",
    "The budget for interpreters is 4250 euros.",
    "The next meeting takes place on Friday evening.",
)


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colours of a slide."""

    paper: str = "white"
    band: str | None = None
    title: str = "black"
    text: str = "black"


def draw_page(lines: tuple[str, ...] = LETTER, *, size: tuple[int, int] = (1240, 1000)) -> Image.Image:
    page = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(30)
    for number, line in enumerate(lines):
        pen.text((100, 120 + number * 60), line, font=font, fill="black")
    return page


def draw_slide(
    theme: Theme, *, title: str = "Why paper survives", lines: tuple[str, ...] = LETTER[1:4]
) -> Image.Image:
    slide = Image.new("RGB", (1600, 900), theme.paper)
    pen = ImageDraw.Draw(slide)
    if theme.band:
        pen.rectangle((0, 0, 1600, 160), fill=theme.band)
    pen.text((60, 40), title, font=ImageFont.load_default(64), fill=theme.title)
    for number, line in enumerate(lines):
        pen.text((90, 260 + number * 100), line, font=ImageFont.load_default(38), fill=theme.text)
    return slide
