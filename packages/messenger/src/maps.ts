/** Addresses of maps with a pin, in degrees. */
export const googleMap = (latitude: number, longitude: number): string =>
  `https://maps.google.com/?q=${latitude},${longitude}`;

/** For messengers of countries where it is the map that people use. */
export const yandexMap = (latitude: number, longitude: number): string =>
  `https://yandex.ru/maps/?pt=${longitude},${latitude}&z=16&l=map`;
