"""Gradio's theme in the page's own colours; ``assets/page.css`` does the rest."""

import gradio as gr

FONT = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]

# name: (light, dark); the same values stand in assets/page.css as --paper, --card, …
COLOURS = {
    "body_background_fill": ("#faf9f6", "#14161a"),
    "background_fill_primary": ("#ffffff", "#1b1e24"),
    "background_fill_secondary": ("#faf9f6", "#14161a"),
    "block_background_fill": ("#ffffff", "#1b1e24"),
    "input_background_fill": ("#ffffff", "#1b1e24"),
    "body_text_color": ("#1d1f24", "#ebe9e4"),
    "body_text_color_subdued": ("#5c6169", "#a3a9b3"),
    "block_label_text_color": ("#5c6169", "#a3a9b3"),
    "block_title_text_color": ("#5c6169", "#a3a9b3"),
    "input_placeholder_color": ("#6b7078", "#8d939d"),
    "border_color_primary": ("#e2dfd6", "#31353e"),
    "input_border_color": ("#c9c5b9", "#454a55"),
    "input_border_color_focus": ("#b84707", "#ff9a52"),
    "slider_color": ("#b84707", "#ff9a52"),
    "button_primary_background_fill": ("#b84707", "#ff9a52"),
    "button_primary_background_fill_hover": ("#953904", "#ffb27d"),
    "button_primary_text_color": ("#ffffff", "#1d1206"),
    "button_primary_text_color_hover": ("#ffffff", "#1d1206"),
    "button_secondary_background_fill": ("#ffffff", "#1b1e24"),
    "button_secondary_background_fill_hover": ("#f1efe8", "#262a32"),
    "button_secondary_text_color": ("#1d1f24", "#ebe9e4"),
    "button_secondary_border_color": ("#c9c5b9", "#454a55"),
}


def page_theme() -> gr.themes.Base:
    """System fonts (nothing is fetched) and the page's palette, light and dark."""
    values = {name: light for name, (light, _) in COLOURS.items()}
    values |= {f"{name}_dark": dark for name, (_, dark) in COLOURS.items()}
    return gr.themes.Base(font=FONT, font_mono=MONO, radius_size="md", text_size="md").set(**values)
