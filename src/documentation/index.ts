// The documentation inside the executable: for `runtime help` and the server's `/docs`.
export { INDEX, linkedPage, type Page, type Pages, readPages, type Shelf, shelves } from "./pages";
export { pageHtml, pageText, terminalPage } from "./render";
