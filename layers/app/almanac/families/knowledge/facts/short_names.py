"""Short forms of given names, as they are common in English."""

from functools import cache

_GROUPS = """
abigail abby gail; albert al bert; alexander alex al sandy xander; alexandra alex sandra lexi; alfred alf fred;
amanda mandy; andrew andy drew; anthony tony; archibald archie; arthur art; barbara barb babs;
benjamin ben benny benji; bernard bernie; bradley brad; catherine katherine kate katie kathy cathy kat;
charles charlie chuck chas; charlotte lottie charlie; christina christine tina chris;
christopher chris kit topher; cynthia cindy; daniel dan danny; david dave davy; deborah debbie deb; dominic dom;
donald don donny; dorothy dot dottie; douglas doug; edward ed eddie ted ned; eleanor ellie nell;
elizabeth liz beth betty lizzie eliza; emily em emmy; eugene gene; frances fran; francis frank; franklin frank;
frederick fred freddy; gabriel gabe; gerald gerry jerry; geoffrey jeffrey geoff jeff; gregory greg;
harold harry hal; henry harry hank; isabella bella izzy; jacob jake; jacqueline jackie; james jim jimmy jamie;
janet jan; jennifer jen jenny; jeremy jerry; jessica jess jessie; joanna jo; john jack johnny;
jonathan jon johnny; joseph joe joey; joshua josh; judith judy; kenneth ken kenny; kimberly kim;
lawrence laurence larry; leonard leo len lenny; louis lou; lucille lucy; madeleine maddie;
margaret maggie meg peggy marge; maria mary; martin marty; matthew matt; maximilian max; melissa mel;
michael mike mick mickey; mitchell mitch; nancy nan; natalie nat; nathaniel nathan nate nat; nicholas nick nicky;
nicole nicky; oliver ollie; pamela pam; patricia pat patty tricia trish; patrick pat paddy; peter pete;
philip phillip phil; rachel rae; raymond ray; rebecca becky becca; reginald reg reggie;
richard rick dick rich richie; robert bob bobby rob robbie; roger rodge; ronald ron ronnie; rosemary rose rosie;
samantha sam; samuel sam sammy; sarah sally; sebastian seb; solomon sol; stephanie steph; stephen steven steve;
stuart stu; susan sue suzie; sydney syd; terence terry; theodore ted theo teddy; theresa teresa terry tess;
thomas tom tommy; timothy tim; valerie val; veronica ronnie; victor vic; victoria vicky tori;
vincent vince vinny; virginia ginny; walter walt; william bill billy will liam; winston win; yvonne eve;
zachary zach
"""


def other_forms(name: str) -> frozenset[str]:
    """What somebody of this name, in small letters, may be called as well: robert for bob, bob and rob for robert."""
    return _forms().get(name, frozenset())


@cache
def _forms() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _GROUPS.split(";"):
        names = group.split()
        for name in names:
            found.setdefault(name, set()).update(one for one in names if one != name)
    return {name: frozenset(others) for name, others in found.items()}
