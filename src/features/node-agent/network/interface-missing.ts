import { UnsupportedGuest } from '../domain/unsupported-guest.ts'

/** Multus has not given the launcher's pod an interface. It does for a new pod. */
export class InterfaceMissing extends UnsupportedGuest {}
