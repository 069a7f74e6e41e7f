/* Glue: the tab Learn inside gr.HTML, which is drawn when the tab is first opened. The guide over the page fills it. */

window.draginLearn = element.querySelector(".learn");
window.dispatchEvent(new CustomEvent("dragin-learn"));
