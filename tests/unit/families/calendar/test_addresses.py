import pytest

from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.kernel.errors import Forbidden, Unavailable


def book(*addresses: str, policy: NetworkPolicy | None = None) -> AddressBook:
    return AddressBook(policy or NetworkPolicy(), lambda _host, _port: list(addresses))


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0", "169.254.169.254"),
        *("::1", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1"),
        *("198.51.100.1", "203.0.113.1", "0.1.2.3"),
        # IPv4-compatible and mapped, NAT64, 6to4, Teredo, site-local, documentation, what is given to nobody.
        *(
            "::10.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "64:ff9b:1::a00:1",
        ),
        *(
            "64:ff9b:1::808:808",
            "2002:a00:1::",
            "2002:808:808::",
            "2001::1",
            "2001:0:a00:1::",
            "2001:2::1",
            "2001:10::1",
        ),
        *(
            "fec0::1",
            "fed0::1",
            "fc00::1",
            "fd12::1",
            "100::1",
            "2001:db8::1",
            "3fff::1",
            "5f00::1",
            "4000::1",
            "ff02::1",
        ),
    ],
)
def test_from_the_cloud_nothing_private_is_within_reach(address: str) -> None:
    with pytest.raises(Forbidden) as refused:
        book(address).addresses("calendar.example.com", 443)
    assert address not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        *("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "2001:4860:4860::8888", "2a00:1450::1"),
        *("64:ff9b::808:808", "::ffff:8.8.8.8"),
    ],
)
def test_public_addresses_are(address: str) -> None:
    assert book(address).addresses("calendar.example.com", 443) == [address]


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(Forbidden):
        book("93.184.215.14", "10.0.0.1").addresses("calendar.example.com", 443)


def test_a_laptop_reaches_its_own_network_but_no_metadata_service() -> None:
    assert book("192.168.1.5", policy=NetworkPolicy(private=True)).addresses("nas", 443) == ["192.168.1.5"]
    assert book("fd12::5", policy=NetworkPolicy(private=True)).addresses("nas", 443) == ["fd12::5"]
    for metadata in (
        *("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"),
        *("0.0.0.0", "::", "::127.0.0.1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "fec0::1", "192.0.2.1"),
    ):
        with pytest.raises(Forbidden):
            book(metadata, policy=NetworkPolicy(private=True)).addresses("nas", 443)


def test_a_host_that_the_operator_allows_may_be_private() -> None:
    policy = NetworkPolicy(hosts=frozenset({"calendar.internal"}))
    assert book("10.0.0.9", policy=policy).addresses("Calendar.Internal", 443) == ["10.0.0.9"]
    with pytest.raises(Forbidden):
        book("10.0.0.9", policy=policy).addresses("other.internal", 443)


def test_a_name_that_nobody_knows_is_unavailable() -> None:
    with pytest.raises(Unavailable, match=r"nowhere\.example"):
        book().addresses("nowhere.example", 443)
