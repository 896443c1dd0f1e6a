import java.net.Authenticator;
import java.net.HttpURLConnection;
import java.net.PasswordAuthentication;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/**
 * Sends a request to each URL again and again; prints the statuses. Without arguments, prints the
 * version.
 *
 * <p>java Client.java SCHEME "URL ..." USER PASSWORD METHOD BODY COUNT
 */
final class Client {
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      System.out.println(System.getProperty("java.version"));
      return;
    }
    String user = arguments[2];
    char[] password = arguments[3].toCharArray();
    byte[] body = arguments[5].getBytes(StandardCharsets.UTF_8);
    Authenticator.setDefault(
        new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            return new PasswordAuthentication(user, password);
          }
        });
    String urls = (arguments[1] + " ").repeat(Integer.parseInt(arguments[6]));
    for (String url : urls.split(" ")) {
      var connection = (HttpURLConnection) new URL(url).openConnection();
      connection.setRequestMethod(arguments[4]);
      connection.setReadTimeout(10_000);
      if (body.length > 0) {
        connection.setDoOutput(true);
        connection.getOutputStream().write(body);
      }
      int status;
      try {
        status = connection.getResponseCode();
        connection.getInputStream().readAllBytes();
      } catch (java.io.IOException refused) {
        // It gives up with an exception and still knows the status, if there was one.
        status = connection.getResponseCode();
      }
      System.out.println(status);
    }
  }
}
