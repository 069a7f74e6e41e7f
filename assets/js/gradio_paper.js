/* Glue: the paper's results inside gr.HTML. PAPER is assets/paper.json. */

viewPaper(element.querySelector(".paper"), PAPER);
