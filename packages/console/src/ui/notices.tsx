import { Notifications } from '@mantine/notifications';

/** Where notices come up, in a corner of the window. */
const Notices = () => <Notifications position="bottom-right" limit={4} />;

export default Notices;
