import java.net.Authenticator;
import java.net.HttpURLConnection;
import java.net.PasswordAuthentication;
import java.net.URI;

/** One request by HttpURLConnection: Client URL. */
public class Client {
    public static void main(String[] arguments) throws Exception {
        Authenticator.setDefault(new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication("Mufasa", "Circle of Life".toCharArray());
            }
        });
        var connection = (HttpURLConnection) URI.create(arguments[0]).toURL().openConnection();
        if (connection.getResponseCode() < 400) {
            connection.getInputStream().readAllBytes();
        }
    }
}
