import '../styles/markdown.css';
import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { getRecordUrl } from '../routes.ts';
import { TaskLink } from './task-id.tsx';

/** Longer texts are shown as they are: parsing them would delay the page. */
const maxLength = 60_000;

/** Draws Markdown as elements. HTML in it is text, links lead only to web and mail addresses, and images are not loaded. */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown text">{text.length > maxLength ? <pre>{text}</pre> : renderBlocks(lexer(text))}</div>;
}

const renderBlocks = (tokens: Token[]): ComponentChildren => tokens.map((token, i) => <Block key={i} token={token as Tokens.Generic} />);

function Block({ token }: { token: Tokens.Generic }) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      // The page has the first two levels.
      const Heading = `h${Math.min(6, Number(token.depth) + 2)}` as 'h3';
      return <Heading>{renderInline(token.tokens)}</Heading>;
    }
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{renderBlocks(token.tokens ?? [])}</blockquote>;
    case 'list':
      return <MarkdownList list={token as Tokens.List} />;
    case 'table':
      return <MarkdownTable table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p>{token.raw}</p>;
    case 'text':
      return <p>{token.tokens ? renderInline(token.tokens) : token.text}</p>;
    default:
      return <p>{token.tokens ? renderInline(token.tokens) : token.raw}</p>;
  }
}

function MarkdownList({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, i) => (
    <li key={i}>
      {item.task && (
        <span role="img" aria-label={item.checked ? 'done' : 'open'}>
          {item.checked ? '☑ ' : '☐ '}
        </span>
      )}
      {item.tokens.map((token, n) =>
        token.type === 'text' ? renderInline((token as Tokens.Text).tokens ?? [token]) : <Block key={n} token={token as Tokens.Generic} />,
      )}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

const MarkdownTable = ({ table }: { table: Tokens.Table }) => (
  <div class="markdown-table" tabIndex={0} role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          {table.header.map((cell, i) => (
            <th key={i} scope="col">
              {renderInline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, n) => (
              <td key={n}>{renderInline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function renderInline(tokens: Token[] = []): ComponentChildren {
  return tokens.map((token, i) => <Inline key={i} token={token as Tokens.Generic} />);
}

function Inline({ token }: { token: Tokens.Generic }) {
  switch (token.type) {
    case 'strong':
      return <strong>{renderInline(token.tokens)}</strong>;
    case 'em':
      return <em>{renderInline(token.tokens)}</em>;
    case 'del':
      return <del>{renderInline(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <SafeLink href={String(token.href)}>{renderInline(token.tokens)}</SafeLink>;
    case 'image':
      return <SafeLink href={String(token.href)}>{token.text || token.href}</SafeLink>;
    case 'escape':
      return <>{token.text}</>;
    case 'text':
      return token.tokens ? renderInline(token.tokens) : <LinkedText text={String(token.text)} />;
    default:
      return <>{token.raw}</>;
  }
}

function SafeLink({ href, children }: { href: string; children: ComponentChildren }) {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <span title={href}>{children}</span>;
  return (
    <a class="outside" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Turns ids of tasks and memory entries in a text into links. */
function LinkedText({ text }: { text: string }) {
  const parts = text.split(/\b(T\d{3,}|(?<![\w-])[ODPL]-\d{3,15}(?!-\d))\b/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <IdLink key={i} id={part} /> : part))}</>;
}

const IdLink = ({ id }: { id: string }) =>
  id.startsWith('T') ? (
    <TaskLink id={id} />
  ) : (
    <a class="task-link" href={getRecordUrl('memory', id)}>
      <span class="task-id">{id}</span>
    </a>
  );
