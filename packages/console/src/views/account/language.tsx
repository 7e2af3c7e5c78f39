import { Select } from '@mantine/core';
import { t } from '../../texts/account.ts';
import { chooseLanguage, chosenLanguage, type Language, languages } from '../../texts/language.ts';
import { Card } from '../../ui/card.tsx';

const ofBrowser = 'browser';

const choices = [
  { value: ofBrowser, label: t.asBrowserHasIt },
  ...Object.entries(languages).map(([value, label]) => ({ value, label })),
];

/** Which language the console speaks in this browser. */
export const LanguageChoice = () => (
  <Card title={t.language}>
    <Select
      label={t.languageOfConsole}
      description={t.languageIsKept}
      allowDeselect={false}
      data={choices}
      value={chosenLanguage ?? ofBrowser}
      // Safe: the choices are the languages.
      onChange={(value) => chooseLanguage(value === ofBrowser ? null : (value as Language))}
    />
  </Card>
);
