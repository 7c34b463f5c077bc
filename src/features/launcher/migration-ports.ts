/** Ports of a launcher's pod at which its QEMU receives a guest, as in KubeVirt. */
export const migrationPorts = { memory: 49_152, storage: 49_153 } as const
