from ._html import html as html
