import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/components.css';
import './styles/rows.css';
import './styles/view.css';
import './styles/shell.css';
import { render } from 'preact';
import { startRouter } from './router.ts';
import { App } from './shell/app.tsx';
import { followEvents } from './state/connection.ts';
import { startShortcuts } from './state/shortcuts.ts';
import { startTaskIndex } from './state/task-index.ts';

startRouter();
startShortcuts();
void followEvents();
startTaskIndex();
render(<App />, document.getElementById('app')!);
