import markdownIt from 'markdown-it';

/** Where links and images may lead, relative addresses too; what may pass for another scheme stays text. */
const safeAddress = /^(https?:|mailto:|(?![^/?#]*:))/i;

const markdown = markdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = (url) => safeAddress.test(url.trim());

const withoutRules = markdown.renderer.rules.link_open;
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  // The page that a link leads to learns nothing of ours, and search engines do not count it as our word.
  tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow');
  return withoutRules ? withoutRules(tokens, index, options, env, self) : self.renderToken(tokens, index, options);
};

/**
 * A longer description is shown as it was typed. The time to render grows with the length, a few patterns make much of
 * it, and the event loop waits: this much takes 40 ms at worst.
 */
export const renderedLimit = 16_384;
/** Pages kept as they were rendered: who asks again and again for the worst of them costs that once. */
const keptPages = 100;

const kept = new Map<string, string>();

/** A description in Markdown as a piece of HTML that holds no HTML of its author. Reference: records 1.2. */
export function descriptionHtml(text: string): string {
  if (text.length > renderedLimit) return `<pre>${markdown.utils.escapeHtml(text)}</pre>\n`;
  const known = kept.get(text);
  if (known !== undefined) return known;
  const html = markdown.render(text);
  const oldest = kept.size >= keptPages ? kept.keys().next() : undefined;
  if (oldest && !oldest.done) kept.delete(oldest.value);
  kept.set(text, html);
  return html;
}
