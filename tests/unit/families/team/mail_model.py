"""A simple model of mail, and random steps that compare it with the store's answers."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from almanac.families.team.core.project import Project
from almanac.families.team.core.roles import ROLES, ActorRoles
from almanac.families.team.messages.mail import InboxFilter, open_mail
from almanac.families.team.messages.mail_records import Letter
from almanac.kernel.errors import NotFound

ACTORS = ("ann", "bob")
ADDRESSES = (("ann",), ("bob",), ("role:reviewer",), ("everybody",), ("bob", "role:reviewer"), ("ann", "everybody"))
Verb = Literal["send", "read", "listen", "acknowledge", "role"]
VERBS: tuple[Verb, ...] = ("send", "send", "send", "read", "listen", "acknowledge", "acknowledge", "role")

Projects = Callable[[str], Project]
"""The project of an actor, over a store that may have been opened anew."""


class Step(Struct, frozen=True):
    verb: Verb
    actor: str
    to: tuple[str, ...]
    number: int


class SentMessage(Struct, frozen=True):
    id: str
    sender: str
    to: tuple[str, ...]


class MailModel:
    """Does each step to the mail of a project and to lists, and asserts that both say the same."""

    def __init__(self) -> None:
        self.sent: list[SentMessage] = []
        self.acknowledged: set[tuple[str, str]] = set()
        self.reviewers: set[str] = set()
        self.heard: dict[str, list[str]] = {actor: [] for actor in ACTORS}
        self._positions: dict[str, str] = dict.fromkeys(ACTORS, "")

    def inbox(self, actor: str) -> list[str]:
        return [one.id for one in self.sent if self._is_to(one, actor)]

    def unread(self, actor: str) -> list[str]:
        return [one for one in self.inbox(actor) if (actor, one) not in self.acknowledged]

    def take(self, step: Step, projects: Projects) -> None:
        project = projects(step.actor)
        mail = open_mail(project)
        if step.verb == "send":
            message = mail.send(Letter(to=step.to, subject=str(step.number), body=""))
            self.sent.append(SentMessage(message.id, step.actor, step.to))
        elif step.verb == "role":
            self.reviewers ^= {step.actor}
            roles = ["reviewer"] if step.actor in self.reviewers else []
            project.store.write([project.rows(ROLES).put(ActorRoles(actor=step.actor, roles=roles))])
        elif step.verb == "read":
            found = self._all_pages(project, step.number % 3 + 1)
            assert sorted(found) == sorted(self.unread(step.actor))
        elif step.verb == "listen":
            self._listen(project, step.actor)
        elif self.sent:
            self._acknowledge(project, self.sent[step.number % len(self.sent)], step.actor)

    def _listen(self, project: Project, actor: str) -> None:
        """Read mail that came since this reader's last look, including mail with an earlier time."""
        before, mail = set(self.heard[actor]), open_mail(project)
        page = mail.read(InboxFilter(), limit=50, position=self._positions[actor])
        self._positions[actor] = page.position
        self.heard[actor] += [each.message.id for each in page.received]
        assert set(self.unread(actor)) <= set(self.heard[actor])
        assert not before & {each.message.id for each in page.received} - set(self.unread(actor))

    def _acknowledge(self, project: Project, sent: SentMessage, actor: str) -> None:
        mail = open_mail(project)
        if not self._is_to(sent, actor):
            try:
                mail.acknowledge(sent.id)
            except NotFound:
                return
            raise AssertionError(f"{actor} acknowledged a message to others")
        done = mail.acknowledge(sent.id)
        assert done.already == ((actor, sent.id) in self.acknowledged)
        self.acknowledged.add((actor, sent.id))

    @staticmethod
    def _all_pages(project: Project, limit: int) -> list[str]:
        position, found = "", list[str]()
        while True:
            page = open_mail(project).read(InboxFilter(), limit=limit, position=position)
            found += [each.message.id for each in page.received]
            position = page.position
            if not page.truncated:
                return found

    def _is_to(self, sent: SentMessage, actor: str) -> bool:
        if actor in sent.to:
            return True
        shared = "everybody" in sent.to or ("role:reviewer" in sent.to and actor in self.reviewers)
        return shared and sent.sender != actor
