"""Text from pictures of pages."""

from common.processing.ocr.page import OcrPage, ocr_image

__all__ = ["OcrPage", "ocr_image"]
