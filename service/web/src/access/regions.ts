/** A company's day begins where the company is, independent of the clock of this browser. */
export const zoneOf: Readonly<Record<string, string>> = {
  DE: 'Europe/Berlin',
  AT: 'Europe/Vienna',
  CH: 'Europe/Zurich',
};

/** Parts of a country with public holidays of their own, by their ISO 3166-2 codes and own names. */
const regions: Readonly<Record<string, readonly (readonly [code: string, name: string])[]>> = {
  DE: [
    ['BW', 'Baden-Württemberg'],
    ['BY', 'Bayern'],
    ['BE', 'Berlin'],
    ['BB', 'Brandenburg'],
    ['HB', 'Bremen'],
    ['HH', 'Hamburg'],
    ['HE', 'Hessen'],
    ['MV', 'Mecklenburg-Vorpommern'],
    ['NI', 'Niedersachsen'],
    ['NW', 'Nordrhein-Westfalen'],
    ['RP', 'Rheinland-Pfalz'],
    ['SL', 'Saarland'],
    ['SN', 'Sachsen'],
    ['ST', 'Sachsen-Anhalt'],
    ['SH', 'Schleswig-Holstein'],
    ['TH', 'Thüringen'],
  ],
  AT: [
    ['1', 'Burgenland'],
    ['2', 'Kärnten'],
    ['3', 'Niederösterreich'],
    ['4', 'Oberösterreich'],
    ['5', 'Salzburg'],
    ['6', 'Steiermark'],
    ['7', 'Tirol'],
    ['8', 'Vorarlberg'],
    ['9', 'Wien'],
  ],
  CH: [
    ['AG', 'Aargau'],
    ['AR', 'Appenzell Ausserrhoden'],
    ['AI', 'Appenzell Innerrhoden'],
    ['BL', 'Basel-Landschaft'],
    ['BS', 'Basel-Stadt'],
    ['BE', 'Bern'],
    ['FR', 'Fribourg'],
    ['GE', 'Genève'],
    ['GL', 'Glarus'],
    ['GR', 'Graubünden'],
    ['JU', 'Jura'],
    ['LU', 'Luzern'],
    ['NE', 'Neuchâtel'],
    ['NW', 'Nidwalden'],
    ['OW', 'Obwalden'],
    ['SG', 'St. Gallen'],
    ['SH', 'Schaffhausen'],
    ['SZ', 'Schwyz'],
    ['SO', 'Solothurn'],
    ['TG', 'Thurgau'],
    ['TI', 'Ticino'],
    ['UR', 'Uri'],
    ['VS', 'Valais'],
    ['VD', 'Vaud'],
    ['ZG', 'Zug'],
    ['ZH', 'Zürich'],
  ],
};

export function regionsOf(country: string): { value: string; label: string }[] {
  return (regions[country] ?? []).map(([code, label]) => ({ value: `${country}-${code}`, label }));
}
