import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.io.ByteArrayInputStream;

/** Sends requests with the JDK's own client, which asks to go on in HTTP/2, and prints each status with its body. */
class JavaClient {
  public static void main(String[] args) throws Exception {
    String base = args[0];
    String good = args[1];
    String bad = args[2];
    HttpClient client = HttpClient.newHttpClient();
    String project = "/api/v2/accounts/current/projects/42";
    send(client, base, "GET", "/api/v2/anything", BodyPublishers.noBody());
    send(client, base, "PATCH", project, BodyPublishers.ofString(good));
    send(client, base, "PATCH", project, BodyPublishers.ofString(bad));
    // Of unknown length: sent in chunks.
    send(client, base, "PATCH", project, BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(good.getBytes(StandardCharsets.UTF_8))));
    send(client, base, "GET", "/api/v2/anything", BodyPublishers.noBody());
  }

  static void send(HttpClient client, String base, String method, String path, BodyPublisher body) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + path))
        .header("Content-Type", "application/json")
        .method(method, body)
        .build();
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    System.out.println(method + " " + response.statusCode() + " " + response.version() + " " + response.body().trim());
  }
}
