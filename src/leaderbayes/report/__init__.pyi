from ._html import html as html
from ._latex import latex as latex
from ._site import site as site
from ._text import text as text
