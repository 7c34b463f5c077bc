/** Returns the id of a PCIe port for hotplug. */
export function portId(number: number): string {
  return `port${number}`
}

/** Returns the number of a port by its id; undefined for any other id. */
export function portNumber(id: string): number | undefined {
  const digits = /^port(\d+)$/.exec(id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Returns the place of a device in a port, as the properties of the device. */
export function placeInPort(port: number): string {
  return `bus=${portId(port)},addr=0x0`
}
