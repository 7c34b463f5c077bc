import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, unsupportedValue, when } from '../cause.ts'

type Devices = VirtualMachineInstanceSpec['domain']['devices']

const inputBuses: readonly string[] = ['virtio', 'usb']
const inputTypes: readonly string[] = ['tablet', 'keyboard']
const panicModels: readonly string[] = ['hyperv', 'isa', 'pvpanic']
const soundModels: readonly string[] = ['ich9', 'ac97']
/** Video models that the machines of an architecture have. */
const videoTypes: Readonly<Record<string, readonly string[]>> = {
  amd64: ['vga', 'cirrus', 'virtio', 'ramfb', 'bochs'],
  arm64: ['virtio', 'ramfb'],
  s390x: ['virtio'],
}

/**
 * Validates models and buses of devices. An unknown value would be replaced by a default, or fail
 * each start.
 */
export function validateDevices(
  { domain: { devices }, architecture = '' }: VirtualMachineInstanceSpec,
  base: string,
): readonly StatusCause[] {
  const path = `${base}.domain.devices`
  return [
    ...validateInputs(devices, path),
    ...validateDisplays(devices, path),
    ...validateSound(devices, path, architecture),
    ...validatePanicDevices(devices, path, architecture),
    ...validateWatchdog(devices, path, architecture),
    ...validateVideo(devices, path, architecture),
  ]
}

/** Keyboards work here, and KubeVirt refuses them. */
function validateInputs({ inputs = [] }: Devices, path: string): readonly StatusCause[] {
  return inputs.flatMap(({ bus, type }, index) => [
    ...when(!isKnown(bus, inputBuses), invalidValue(`${path}.inputs[${index}].bus`, 'Input device can have only virtio or usb bus.')),
    ...when(!isKnown(type, inputTypes), invalidValue(`${path}.inputs[${index}].type`, 'Input device can have only tablet type.')),
  ])
}

/** Validates that one virtual GPU at most has a display with a frame buffer. */
function validateDisplays({ gpus = [] }: Devices, path: string): readonly StatusCause[] {
  const withRamFb = gpus.filter(({ virtualGPUOptions }) => {
    const display = virtualGPUOptions?.display
    return display !== undefined && display.enabled !== false && display.ramFB?.enabled !== false
  })
  return when(withRamFb.length > 1, invalidValue(`${path}.gpus`, 'configuring multiple displays with ramfb is not valid '))
}

function validateSound({ sound }: Devices, path: string, architecture: string): readonly StatusCause[] {
  if (sound === undefined) return []
  const field = `${path}.sound`
  return [
    ...when(!isKnown(sound.model, soundModels), invalidValue(field, "Sound device type is not supported. Options: 'ich9' or 'ac97'")),
    ...when(sound.name === '', invalidValue(field, 'Sound device requires a name field.')),
    ...when(architecture === 'arm64', unsupportedValue(field, 'Arm64 not support sound device')),
  ]
}

function validatePanicDevices({ panicDevices = [] }: Devices, path: string, architecture: string): readonly StatusCause[] {
  return [
    ...when(
      architecture === 's390x' && panicDevices.length > 0,
      invalidValue(`${path}.panicDevices`, 'custom panic devices are not supported on s390x architecture'),
    ),
    ...panicDevices.flatMap(({ model }, index) =>
      when(
        model !== undefined && !panicModels.includes(model),
        invalidValue(`${path}.panicDevices[${index}].model`, `invalid PanicDeviceModel(${model})`),
      ),
    ),
  ]
}

function validateWatchdog({ watchdog }: Devices, path: string, architecture: string): readonly StatusCause[] {
  if (watchdog === undefined) return []
  const field = `${path}.watchdog`
  const { i6300esb, diag288 } = watchdog
  if (architecture === 'arm64') return [unsupportedValue(field, 'Arm64 not support Watchdog device')]
  if (architecture === 's390x')
    return when(diag288 === undefined || i6300esb !== undefined, unsupportedValue(field, 's390x only supports Diag288 watchdog device'))
  // KubeVirt has no rule for other ones, which are refused as such.
  if (architecture !== 'amd64' && architecture !== '') return []
  return when(i6300esb === undefined || diag288 !== undefined, unsupportedValue(field, 'amd64 only supports I6300ESB watchdog device'))
}

function validateVideo({ video, autoattachGraphicsDevice }: Devices, path: string, architecture: string): readonly StatusCause[] {
  if (video === undefined) return []
  const { type = '' } = video
  return [
    ...when(
      autoattachGraphicsDevice === false,
      invalidValue(`${path}.video`, 'Video configuration is not allowed when autoattachGraphicsDevice is set to false'),
    ),
    ...when(
      videoTypes[architecture]?.includes(type) === false,
      unsupportedValue(`${path}.video.type`, `video model '${type}' is not supported on ${architecture} architecture`),
    ),
  ]
}

function isKnown(value: string | undefined, known: readonly string[]): boolean {
  return value === undefined || value === '' || known.includes(value)
}
