export { createKubelet, type KubeletOptions } from './kubelet.ts'
export { type MachineFacts, readMachineFacts } from './node/machine-facts.ts'
export type { ImageResolver, ResolvedImage } from './options.ts'
