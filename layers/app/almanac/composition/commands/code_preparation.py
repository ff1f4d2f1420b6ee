"""What prepares the files of repositories, for whoever runs it in processes of its own."""

from almanac.families.code.indexing.preparation import Preparation, Prepared
from almanac.families.code.indexing.preparing import one_by_one, prepared, unparsed, unread

__all__ = ["Preparation", "Prepared", "one_by_one", "prepared", "unparsed", "unread"]
