import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { useNotifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { queryClient } from './api/queries.ts';
import { App } from './app.tsx';
import { language } from './texts/language.ts';
import { lazyPart } from './ui/lazy-part.ts';
import { cssVariables, theme } from './ui/theme.ts';
import { askBeforeLeaving, guardWindow } from './ui/unsaved.ts';

/** What is noticed before they are there, they show then. */
const ShownNotices = lazyPart(() => import('./ui/notices.tsx'));

/** The place of notices, which is loaded with the first of them. */
function Notices() {
  const { notifications } = useNotifications();
  const [any, setAny] = useState(false);
  if (!any && notifications.length > 0) setAny(true);
  return <Suspense>{any && <ShownNotices />}</Suspense>;
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the console');
document.documentElement.lang = language;
guardWindow();
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={cssVariables}>
      <QueryClientProvider client={queryClient}>
        <Notices />
        <Router aroundNav={askBeforeLeaving}>
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
