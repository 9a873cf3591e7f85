export default function ({data}) {
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    document.cookie = `${data.cookie}=${data.language}; Path=/; Max-Age=${data.seconds}; SameSite=Lax${secure}`;
    document.documentElement.lang = data.language;
}
