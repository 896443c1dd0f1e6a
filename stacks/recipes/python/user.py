"""Who logs in. One request asks, and the others wait for that."""
import threading


class User:
    def __init__(self, name, password, origin, realm, scheme):
        self.name, self.password = name, password
        self.origin, self.realm, self.scheme = origin, realm, scheme
        self.prompts, self.refusal = 0, None
        self._one_at_a_time = threading.Lock()

    def answer(self, exchange, ask):
        """Where a program with a user would ask for the password. Whether to send the request again."""
        if ask.endpoint != self.origin:
            # A redirect may lead to anyone.
            self.refusal = f"the password is not for {ask.endpoint}"
            return False
        if ask.realm != self.realm.encode():
            # Another user of the origin may ask, too.
            self.refusal = f"the password is not for the realm {ask.realm[:60]!r}"
            return False
        if ask.scheme != self.scheme:
            # They may name the same realm, and until that has proved Digest, ask for Basic there.
            self.refusal = f"the password is not for {ask.scheme}"
            return False
        with self._one_at_a_time:
            if exchange.wants(ask):
                self.prompts += 1
                exchange.login(ask, self.name, self.password)
        return True
