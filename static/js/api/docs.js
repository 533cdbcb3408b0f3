/* The API's operations by Swagger UI; whoever is signed in may try them as themselves. */

const place = document.getElementById("operations");
if (!place) throw new Error("there is no place for the operations");

/** @returns {string} the token that a write from this browser has to carry */
function csrf() {
  return document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1] ?? "";
}

/** @type {typeof window & {SwaggerUIBundle: (options: object) => void}} */ (window).SwaggerUIBundle({
  url: place.dataset.description,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  /** @param {{method?: string, headers: Record<string, string>}} request */
  requestInterceptor(request) {
    if (!["GET", "HEAD"].includes(request.method ?? "GET")) request.headers["X-CSRFToken"] = csrf();
    return request;
  },
});
