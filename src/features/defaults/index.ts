export { defaultClusterConfig, type ClusterConfig } from './cluster-config.ts'
export { addDefaultNetworkInto, addInputDeviceInto, addMissingDisksInto } from './devices.ts'
export { stableUuid } from './stable-uuid.ts'
export { completeVmiSpecInto, ensureDomainInto } from './vmi-spec.ts'
