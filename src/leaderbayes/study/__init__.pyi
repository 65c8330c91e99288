from ._average import average as average
from ._compare import compare as compare
from ._embedding import embedding as embedding
from ._fit import fit as fit
from ._store import open as open
from ._tournaments import select as select
from ._tunability import tunability as tunability
from ._unusual import unusual as unusual
