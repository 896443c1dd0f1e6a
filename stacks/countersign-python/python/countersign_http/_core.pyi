from collections.abc import Callable
from typing import Any, Literal, final

from typing_extensions import Self, disjoint_base

from ._errors import Refusal

_Octets = bytes | str
_Values = list[bytes] | list[str] | tuple[bytes, ...] | tuple[str, ...] | bytes | str | None
_Basic = Literal[False, "https", "anywhere"]
_Account = str | tuple[str, Any] | None

__version__: str
__all__ = ["Clients", "Exchange", "Server", "Verdict", "__version__"]

@final
class Clients:
    def __new__(
        cls,
        *,
        rfc2069: bool = False,
        require_proof: bool = False,
        auth_int: bool = False,
        max_answers: int = 3,
    ) -> Self: ...
    def add_account(
        self,
        origin: str | None,
        username: str,
        password: str,
        *,
        realm: str | None = None,
        basic: _Basic = False,
    ) -> None: ...
    def forget(self) -> None: ...
    @property
    def origins(self) -> list[str]: ...

@final
class Exchange:
    def __new__(
        cls,
        clients: Clients,
        method: str,
        url: str,
        *,
        target: _Octets | None = None,
        body: bytes | None = None,
    ) -> Self: ...
    def authorize(self) -> str | None: ...
    def hash_body(self, part: bytes) -> None: ...
    def received(self, status: int, challenges: _Values = (), info: _Values = ()) -> bool: ...
    @property
    def refusal(self) -> Refusal | None: ...

@final
class Verdict:
    @property
    def user(self) -> str | None: ...
    @property
    def account(self) -> Any: ...
    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> list[tuple[str, str]]: ...
    @property
    def reason(self) -> str: ...
    @property
    def is_guess(self) -> bool: ...
    def __bool__(self) -> bool: ...

@disjoint_base
class Server:
    def __new__(
        cls,
        realm: str,
        *,
        algorithms: list[str] | tuple[str, ...] | None = None,
        basic: _Basic = False,
        auth_int: bool = False,
        nonce_lifetime: int = 300,
        capacity: int = 10000,
        domain: str | None = None,
    ) -> Self: ...
    @property
    def realm(self) -> str: ...
    @property
    def algorithms(self) -> list[str]: ...
    def ha1(self, username: str, password: str) -> str: ...
    def claimed(
        self, method: str, target: _Octets, authorization: _Values, *, encrypted: bool = False
    ) -> str | None: ...
    def check(
        self,
        method: str,
        target: _Octets,
        authorization: _Values,
        find: Callable[[str], _Account],
        *,
        encrypted: bool = False,
        body: bytes | None = None,
    ) -> Verdict: ...
