const page = (title: string, inner: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>` +
  `<body style="font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem"><h1 style="font-size:1.25rem">${title}</h1>${inner}</body></html>`;

/** The button behind an acknowledgement link; the form goes back to the same address. */
export const ackPage = (rule: string): string =>
  page(
    'Acknowledge this alert',
    `<p>Rule <strong>${escaped(rule)}</strong>. It will not be repeated or escalated until it is over.</p>` +
      '<form method="post"><button style="font:inherit;padding:.5rem 1rem">Acknowledge</button></form>',
  );

export const ACK_DONE_PAGE = page('Acknowledged', '<p>You can close this page.</p>');
export const ACK_OVER_PAGE = page('Nothing to acknowledge', '<p>The alert is over, or somebody has acknowledged it before.</p>');

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
