/**
 * Features that are switched by name, and whether they are on where nobody says. One that is here
 * to stay is `locked`.
 */
export const featureGates: Readonly<Record<string, { readonly default: boolean; readonly locked?: boolean }>> = {
  HostDisk: { default: false },
  InstancetypeV1: { default: false },
  SharedRevisions: { default: false },
}
