"""Bodies of searches. Each starts with the documents that it may see, which belong to a project or one of its
corpora."""

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any

from almanac.search.opensearch import layout
from almanac.search.opensearch.document_codec import numbers_of
from almanac.search.port import Filters, Lookup, Question

if TYPE_CHECKING:
    from almanac.search.frame import FieldStatistics

Body = Mapping[str, Any]
FIELDS = ("title", "text")

_NEIGHBOUR: Body = {
    "_source": False,
    "stored_fields": "_none_",
    "docvalue_fields": ["packed"],
    "track_total_hits": False,
}
_CANDIDATE: Body = {**_NEIGHBOUR, "docvalue_fields": ["packed", "vectors"]}
_PLACE: Body = {"_source": False, "track_total_hits": False, "docvalue_fields": ["id", "at"]}


def statistics(corpus: str, terms: Sequence[str]) -> Body:
    """Build the query for the number of documents, the number with each term, and mean lengths."""
    counts: dict[str, Body] = {}
    for field in FIELDS:
        counts[f"{field}_length"] = {"avg": {"field": f"{field}_length"}}
        if terms:
            one_by_one = {str(place): _term(field, layout.token(term)) for place, term in enumerate(terms)}
            counts[field] = {"filters": {"filters": one_by_one}}
    return {"size": 0, "track_total_hits": True, "query": _filter_only([_term("corpus", corpus)]), "aggs": counts}


def words(
    corpus: str, terms: Sequence[str], filters: Filters, size: int, weights: Mapping[str, Sequence[float]]
) -> Body:
    """Return the query for the best documents by words.

    `weights` has the weight of each term in each field, 0 for a term that no document has there.
    """
    clauses = [
        {"term": {field: {"value": layout.token(term), "boost": weight}}}
        for field in FIELDS
        for term, weight in zip(terms, weights[field], strict=True)
        if weight
    ]
    query = {"bool": {"should": clauses, "minimum_should_match": 1, **_may_be_found(corpus, filters)}}
    return {"size": size, "query": query, **_CANDIDATE}


def vectors(question: Question) -> dict[str, list[float]]:
    """Return the vector to search for in each vector field."""
    asked = {
        "title_vector": (question.vector, layout.STATIC_DIMENSIONS),
        "text_vector": (question.vector, layout.STATIC_DIMENSIONS),
        "title_context": (question.context, layout.CONTEXT_DIMENSIONS),
        "text_context": (question.context, layout.CONTEXT_DIMENSIONS),
    }
    numbers = {name: numbers_of(vector, size) for name, (vector, size) in asked.items() if vector is not None}
    return {name: vector for name, vector in numbers.items() if vector is not None}


def nearest(corpus: str, field: str, vector: Sequence[float], filters: Filters, size: int) -> Body:
    """Return the query for the best documents by one of their vectors.

    The filter is inside the query. Applied afterwards, it would reduce the number of hits.
    """
    inside = {"bool": _may_be_found(corpus, filters)}
    return {"size": size, "query": {"knn": {field: {"vector": vector, "k": size, "filter": inside}}}, **_CANDIDATE}


def near(corpus: str, places: Sequence[str], filters: Filters) -> Body:
    """Return the query for the documents at these places that meet the filters."""
    clauses = _may_be_found(corpus, filters)
    clauses["filter"].append({"terms": {"place": places}})
    return {"size": len(places), "query": {"bool": clauses}, "sort": ["_doc"], **_CANDIDATE}


def exact_words(corpus: str, lookup: Lookup) -> Body:
    """Return the query for one page of the documents that have the words and meet the filters."""
    clauses = _may_be_found(corpus, lookup.filters)
    clauses["filter"] += [_term("words", layout.token(word)) for word in lookup.words]
    clauses["filter"] += [{"prefix": {"words": prefix}} for prefix in lookup.prefixes]
    body: dict[str, Any] = {"size": lookup.size, "query": {"bool": clauses}, "sort": [{"id": "desc"}], **_PLACE}
    if lookup.order == "at":
        body["sort"] = [{"at": "desc"}, {"id": "desc"}]
    if lookup.after is None:
        return body
    after = [lookup.after.at, lookup.after.id] if lookup.order == "at" else [lookup.after.id]
    return body | {"search_after": after}


def neighbours(corpus: str, places: Sequence[str]) -> Body:
    """Build the query for the documents at these places."""
    query = _filter_only([_term("corpus", corpus), {"terms": {"place": places}}])
    return {"size": len(places), "query": query, "sort": ["_doc"], **_NEIGHBOUR}


def states_by_id(keys: Sequence[Body], after: str, limit: int) -> Body:
    """Return the query for documents and tombstones in the order of their ids."""
    body = {"size": limit, "query": _filter_only([{"bool": {"should": keys}}]), "sort": [{"id": "asc"}], **_HELD}
    return body | {"search_after": [after]} if after else body


_HELD: Body = {"_source": False, "track_total_hits": False, "docvalue_fields": ["id", "version", "gone", "enriched"]}


def states_of_corpus(corpus: str, after: str, limit: int) -> Body:
    return states_by_id([_term("corpus", corpus), _term("gone", corpus)], after, limit)


def states_of_ids(corpus: str, ids: Sequence[str]) -> Body:
    either: Body = {"bool": {"should": [_term("corpus", corpus), _term("gone", corpus)], "minimum_should_match": 1}}
    return {"size": len(ids), "query": _filter_only([either, {"terms": {"id": list(ids)}}]), **_HELD}


def unenriched(scope: str, limit: int) -> Body:
    without = [{"exists": {"field": "gone"}}, {"term": {"enriched": True}}]
    query = {"bool": {"filter": [_term("scope", scope)], "must_not": without}}
    return {"size": limit, "query": query, "sort": [{"at": "desc"}, {"id": "asc"}], **_HELD}


def counts(scope: str) -> Body:
    aggregations = {
        "removed": {"filter": {"exists": {"field": "gone"}}},
        "enriched": {"filter": _term("enriched", True)},
    }
    return {"size": 0, "track_total_hits": True, "query": _filter_only([_term("scope", scope)]), "aggs": aggregations}


def tombstones(since: int, after: Sequence[str], limit: int) -> Body:
    """Return the query for one page of the tombstones of all projects.

    Tombstones that an earlier version wrote have no known time of removal.
    """
    known: Body = _filter_only([{"exists": {"field": "gone"}}, {"range": {"at": {"gte": since}}}])
    query = known if since else {"exists": {"field": "gone"}}
    body = {"size": limit, "query": query, "sort": [{"gone": "asc"}, {"id": "asc"}]}
    return body | {"track_total_hits": False} | ({"search_after": after} if after else {})


def weights(statistics: "FieldStatistics", documents: int) -> list[float]:
    """Return the idf of each term within the corpus, 0 for a term that no document has."""
    return [
        log(1 + (documents - count + 0.5) / (count + 0.5)) if count else 0.0
        for count in statistics.frequencies.tolist()
    ]


def _may_be_found(corpus: str, filters: Filters) -> dict[str, Any]:
    """Return the clauses of a bool query for documents of this corpus that meet the filters."""
    allowed = {
        "kind": [layout.exact(each) for each in filters.kinds],
        "session": [layout.exact(each) for each in filters.sessions],
        "role": [layout.exact(each) for each in filters.roles],
        "speaker": [layout.exact(each.casefold()) for each in filters.speakers],
    }
    clauses: list[Body] = [_term("corpus", corpus)]
    clauses += [{"terms": {field: values}} for field, values in allowed.items() if values]
    clauses += [_term("tags", layout.exact(tag)) for tag in filters.tags]
    clauses += [_term("fields", layout.attribute(name, value)) for name, value in filters.fields.items()]
    if filters.any_tags:
        clauses.append({"terms": {"tags": [layout.exact(tag) for tag in filters.any_tags]}})
    clauses += [_one_of(name, values) for name, values in filters.among.items()]
    clauses += _time_range(filters)
    left_out: list[Body] = [_term("fields", layout.attribute(*each)) for each in filters.except_fields.items()]
    if filters.except_ids:
        left_out.append({"terms": {"id": sorted(filters.except_ids)}})
    return {"filter": clauses, "must_not": left_out}


def _one_of(name: str, values: frozenset[str]) -> Body:
    """Return a clause for a field that has one of the values. If "" is among them, documents without the field match
    too."""
    has_one: Body = {"terms": {"fields": [layout.attribute(name, value) for value in sorted(values)]}}
    if "" not in values:
        return has_one
    has_none = {"bool": {"must_not": [{"prefix": {"fields": layout.attribute_prefix(name)}}]}}
    return {"bool": {"should": [has_one, has_none], "minimum_should_match": 1}}


def _time_range(filters: Filters) -> list[Body]:
    bounds = {name: bound for name, bound in (("gte", filters.since), ("lt", filters.until)) if bound is not None}
    return [{"range": {"at": bounds}}] if bounds else []


def _filter_only(clauses: Sequence[Body]) -> Body:
    return {"bool": {"filter": clauses}}


def _term(field: str, value: str | bool) -> Body:
    return {"term": {field: value}}
