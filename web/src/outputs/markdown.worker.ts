// Renders a long text beside the page: Markdown takes the square of its length where somebody wants it to.
import { htmlOf } from './markdownHtml.ts';

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(htmlOf(data)));
