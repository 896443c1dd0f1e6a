"""Who logs in. One request asks, and the others wait for that."""
import threading


class User:
    def __init__(self, name, password, origin):
        self.name, self.password, self.origin = name, password, origin
        self.prompts, self.refusal = 0, None
        self._one_at_a_time = threading.Lock()

    def answer(self, exchange, ask):
        """Where a program with a user would ask for the password. Whether to send the request again."""
        if ask.endpoint != self.origin:
            # A redirect may lead to anyone.
            self.refusal = f"the password is not for {ask.endpoint}"
            return False
        with self._one_at_a_time:
            if exchange.wants(ask):
                self.prompts += 1
                exchange.login(ask, self.name, self.password)
        return True
