/**
 * Runs the pods of one node of machine mode as local processes, as Kubernetes' kubelet does with
 * containers. {@link createKubelet} is the entry point; {@link createPodUsers} separates the pods
 * of namespaces by Unix users where the process is root. Pods that ask for it are in a network of
 * their own: {@link createPodNetwork}. Containers are programs of the machine; images of volumes
 * are pulled by {@link createImagePuller}.
 */
export { cannotIsolate, createPodUsers, type PodUsers } from './isolation/pod-users.ts'
export { createKubelet, type KubeletOptions } from './kubelet.ts'
export { createPodNetwork, type PodNetwork } from './network/pod-network.ts'
export { defaultDiskThresholds, readFileSystemUse, type DiskThresholds } from './node/disk-pressure.ts'
export { type MachineFacts, readMachineFacts } from './node/machine-facts.ts'
export { createImagePuller, type ImagePuller, type PullerOptions } from './images/image-puller.ts'
export type { ImageResolver, ImageUser, ResolvedImage } from './options.ts'
