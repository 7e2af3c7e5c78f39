import { texts } from './language.ts';

/** Words of modules and of the service that a person meets as they are, and what they mean: the one table of them. */
export const meanings = texts({
  UPGRADE_APP: ['Program that updates the module', 'Programm, das das Modul aktualisiert'],
  WIFI_FW: ['Firmware of the radio', 'Firmware des Funkteils'],
  REGULAR_APP: ['Program of the module', 'Programm des Moduls'],
  TEMPORARY: ['File that does not outlive an update', 'Datei, die ein Update nicht überlebt'],
  GPIO_CONFIG: ['Use of the pins', 'Belegung der Pins'],
  COMMAND_HELP: ['Texts of the command "help"', 'Texte des Befehls „help“'],
  SETUP_SCRIPT: ['Commands that run when the module starts', 'Befehle, die beim Start des Moduls laufen'],
  MISC_FIX_LEN: [
    'Any other file: its size is fixed when it is written',
    'Jede andere Datei: Ihre Größe steht fest, sobald sie geschrieben ist',
  ],
  FE: [
    'Any other file, as the byte that modules know it by',
    'Jede andere Datei, als das Byte, unter dem Module sie kennen',
  ],
});
