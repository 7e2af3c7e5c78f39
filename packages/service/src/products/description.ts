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

/** A description in Markdown as a piece of HTML that holds no HTML of its author (reference 3.2). */
export const descriptionHtml = (text: string): string => markdown.render(text);
