import { texts } from './language.ts';

export const t = texts({
  organisation: ['Organisation', 'Organisation'],
  peopleOf: [(title: string) => `People of ${title}`, (title: string) => `Personen von ${title}`],
  ownerDoes: ['Everything, also who belongs to it', 'Alles, auch wer dazugehört'],
  maintainerDoes: ['Changes products, bundles and devices', 'Ändert Produkte, Bundles und Geräte'],
  operatorDoes: ['Runs devices and rollouts, changes no product', 'Betreibt Geräte und Rollouts, ändert kein Produkt'],
  viewerDoes: ['Looks at products and devices', 'Sieht Produkte und Geräte'],
  roleOf: [(user: string) => `Role of ${user}`, (user: string) => `Rolle von ${user}`],
  isNow: [
    (user: string, role: string) => `${user} is ${role} now`,
    (user: string, role: string) => `${user}: neue Rolle ${role}`,
  ],
  takeOff: ['Take off', 'Entfernen'],
  takeOffUser: [(user: string) => `Take off ${user}`, (user: string) => `Entfernen: ${user}`],
  takeOffAsked: [
    (user: string, title: string) => `Take ${user} off ${title}?`,
    (user: string, title: string) => `${user} aus ${title} entfernen?`,
  ],
  leave: ['Leave', 'Verlassen'],
  leaveAsked: [(title: string) => `Leave ${title}?`, (title: string) => `${title} verlassen?`],
  itsProductsAreGone: [
    (user: string) => `${user} no longer sees its products and devices.`,
    (user: string) => `${user} sieht die Produkte und Geräte nicht mehr.`,
  ],
  isOff: [(user: string) => `${user} is off`, (user: string) => `${user} ist entfernt`],
  isInvited: ['invited, has not accepted yet', 'eingeladen, hat noch nicht angenommen'],
  takeBack: ['Take back', 'Zurücknehmen'],
  takeBackOf: [
    (user: string) => `Take back the invitation of ${user}`,
    (user: string) => `Einladung zurücknehmen: ${user}`,
  ],
  takeBackAsked: [
    (user: string) => `Take back the invitation of ${user}?`,
    (user: string) => `Die Einladung von ${user} zurücknehmen?`,
  ],
  itCanBeAcceptedNoMore: ['It can no longer be accepted.', 'Sie kann dann nicht mehr angenommen werden.'],
  isTakenBack: [
    (user: string) => `The invitation of ${user} is taken back`,
    (user: string) => `Die Einladung von ${user} ist zurückgenommen`,
  ],
  invitations: ['Invitations', 'Einladungen'],
  isInvitedTo: [
    (title: string, role: string) => `${title} invites you as ${role}`,
    (title: string, role: string) => `${title} lädt dich ein, Rolle: ${role}`,
  ],
  accept: ['Accept', 'Annehmen'],
  acceptOf: [(title: string) => `Accept: ${title}`, (title: string) => `Annehmen: ${title}`],
  decline: ['Decline', 'Ablehnen'],
  declineOf: [(title: string) => `Decline: ${title}`, (title: string) => `Ablehnen: ${title}`],
  youBelongTo: [(title: string) => `You belong to ${title} now`, (title: string) => `Du gehörst jetzt zu ${title}`],
  invitationIsDeclined: [
    (title: string) => `The invitation of ${title} is declined`,
    (title: string) => `Die Einladung von ${title} ist abgelehnt`,
  ],
  moveProduct: ['Move to another owner', 'Anderem Eigentum zuordnen'],
  moveTo: [(owner: string) => `Move to ${owner}`, (owner: string) => `An ${owner} übergeben`],
  yourself: ['yourself', 'sich selbst'],
  newOwner: ['New owner', 'Neues Eigentum'],
  person: ['A person', 'Eine Person'],
  customer: ['A customer', 'Ein Kunde'],
  userNameOrEmail: ['User name or email', 'Benutzername oder E-Mail'],
  whichCustomer: ['Customer', 'Kunde'],
  noSuchCustomer: ['No such customer', 'Kein solcher Kunde'],
  codesStay: [
    'Its codes stay as they are, since devices report them. Who sees it follows its owner, at once.',
    'Die Codes bleiben, denn Geräte melden sie. Wer es sieht, richtet sich sofort nach dem Eigentum.',
  ],
  productIsMoved: [
    (owner: string) => `The product belongs to ${owner} now`,
    (owner: string) => `Das Produkt gehört jetzt ${owner}`,
  ],
});
