import { texts } from './language.ts';

export const t = texts({
  scanCode: ['Scan a code', 'Code scannen'],
  holdCodeBeforeCamera: [
    'Hold the code on the label of the device before the camera: its page opens.',
    'Den Code auf dem Etikett des Geräts vor die Kamera halten: Seine Seite öffnet sich.',
  ],
  whatCameraSees: ['What the camera sees', 'Was die Kamera sieht'],
  takePicture: ['Take or choose a picture', 'Bild aufnehmen oder wählen'],
  cameraNeedsHttps: [
    'Browsers let a page use the camera only over https, or on localhost. Take a picture of the code instead.',
    'Browser geben einer Seite die Kamera nur über https oder auf localhost. Nimm stattdessen ein Bild des Codes auf.',
  ],
  cameraIsNotAllowed: [
    'This page may not use the camera: allow it beside the address, then scan again. Or take a picture of the code.',
    'Diese Seite darf die Kamera nicht benutzen: Erlaube es neben der Adresse und scanne noch einmal. Oder nimm ein Bild des Codes auf.',
  ],
  thereIsNoCamera: [
    'There is no camera here. Choose a picture of the code instead.',
    'Hier ist keine Kamera. Wähle stattdessen ein Bild des Codes.',
  ],
  cameraIsInUse: [
    'Something else uses the camera. Close that and scan again, or take a picture of the code.',
    'Etwas anderes benutzt die Kamera. Schließe es und scanne noch einmal, oder nimm ein Bild des Codes auf.',
  ],
  cameraDoesNotWork: [
    'The camera does not work here. Take a picture of the code instead.',
    'Die Kamera funktioniert hier nicht. Nimm stattdessen ein Bild des Codes auf.',
  ],
  thereIsNoCodeIn: [
    (name: string) => `No code is to be seen in ${name}: nearer, flatter or brighter may help.`,
    (name: string) => `In ${name} ist kein Code zu sehen: näher, flacher oder heller hilft vielleicht.`,
  ],
  pictureCannotBeRead: [
    (name: string) => `${name} is no picture that this browser can read.`,
    (name: string) => `${name} ist kein Bild, das dieser Browser lesen kann.`,
  ],
  isNoDevice: [
    (text: string) => `"${text}" is no code of a device.`,
    (text: string) => `„${text}“ ist kein Code eines Geräts.`,
  ],
  isItNobodys: [
    'Is the device in your hands, and nobody’s yet?',
    'Hast du das Gerät in der Hand, und gehört es niemandem?',
  ],
  claimIt: [
    'Claim it: type this on its command line, with your password. Its page then opens here by itself.',
    'Beanspruche es: Tippe dies mit deinem Passwort auf seiner Kommandozeile ein. Seine Seite öffnet sich dann hier von selbst.',
  ],
});
