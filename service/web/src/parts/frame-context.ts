import { createContext } from 'react';

/** Whether the pages of a signed-in person are shown. They wait unseen while the person signs in again. */
export const FrameContext = createContext<{ readonly shown: boolean } | undefined>(undefined);
